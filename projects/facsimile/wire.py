"""What the process that draws pages is asked, and what it replies."""

from __future__ import annotations

from typing import TypedDict


class Wanted(TypedDict):
    """Words to find on a page: a quote, and where `words` is not empty these of its words (their stems) alone."""

    quote: str
    words: list[str]


class Request(TypedDict):
    """A page (from 1) of a file; `memory` in bytes of address space, `seconds` of processor time.

    `draw`: the picture itself is wanted too.
    """

    path: str
    media_type: str
    password: str
    page: int
    draw: bool
    wanted: list[Wanted]
    memory: int
    seconds: int


class Reply(TypedDict, total=False):
    """Either `refused`, why there is no picture, or the page.

    `pages` are those of the file, `width` and `height` those of the picture in pixels, `places` are (left, top, width,
    height) on it. The picture follows as a WebP file after the line end.
    """

    pages: int
    width: int
    height: int
    places: list[tuple[int, int, int, int]]
    refused: str
