"""Cutting a text into bounded pieces at the best places there are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """A stretch of a text: `text[start:start + len(self.text)]`, without white space at its ends."""

    start: int
    text: str


# Places to cut at, the best first: each pattern ends where the next piece may begin.
_PAGE = re.compile(r"\f+")
_PARAGRAPH = re.compile(r"\n\s*\n")
_SENTENCE = re.compile(r"[.!?:;][\"'”’»)\]]*\s+|[。！？；][”’」』）]*\s*|\n")
_WORD = re.compile(r"\s+")


def split(text: str, limit: int, reach: Callable[[int], int] | None = None) -> Iterator[Piece]:
    """Yield the pieces of a text in order, none longer than `limit` characters, nothing but white space left out.

    `reach` bounds them further: it says up to where a piece that begins at an offset may go, at least one character on.

    A piece ends at a page break in its second half, else at a paragraph beyond its first quarter, else at a sentence or
    line, else at a word in its second half; a stretch without any of them is cut at the limit. So a paragraph, or a
    block of rows, of three quarters of the limit is never cut.
    """
    start = 0
    while start < len(text):
        end = _end(text, start, min(limit, reach(start) - start) if reach else limit)
        piece = text[start:end]
        kept = piece.strip()
        if kept:
            yield Piece(start + len(piece) - len(piece.lstrip()), kept)
        start = end


def _end(text: str, start: int, limit: int) -> int:
    rest = len(text) - start
    if rest <= limit:
        # Even a short rest is cut at a page break that leaves two pieces of some size.
        third = limit // 3
        return _last_place(_PAGE, text, start + third, len(text) - third) or len(text)
    most = start + limit
    last = start + (rest + limit) // 3 if rest < 2 * limit else most  # no crumb at the end
    quarter, half = start + (last - start) // 4, start + (last - start) // 2
    found = (
        _last_place(place, text, first, end)
        for place, first, end in (
            (_PAGE, half, last),
            (_PARAGRAPH, quarter, last),
            (_PARAGRAPH, last, most),
            (_SENTENCE, half, last),
            (_WORD, half, last),
        )
    )
    return next(filter(None, found), last)


def _last_place(place: re.Pattern[str], text: str, first: int, last: int) -> int:
    """Return the end of the last match that begins in `first`…`last`, 0 if there is none."""
    found = 0
    for match in place.finditer(text, first, last):
        found = match.end()
    return found
