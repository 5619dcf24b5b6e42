"""Cuts a document into the numbered pieces in which the model reads it and by which answers cite it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from study.texts import DocumentText, SectionText

PIECE_BYTES = 3_000
"""UTF-8 bytes, some 700 tokens of English: a piece has one page and fits several times into the smallest window."""
_BREAKS = ("\n\n", "\n", ". ", "; ", ", ", " ")
"""Where a piece too long is cut, the best place first."""


@dataclass(frozen=True)
class Piece:
    """A stretch of one page of one section.

    `number` counts from 1 through the document; `start` is the offset of the text in its section's text. `turns`: it is
    the first on its page.
    """

    number: int
    section: int
    start: int
    page: int | None
    text: str
    turns: bool = True


def pieces_of(document: DocumentText) -> tuple[Piece, ...]:
    """Return the pieces of a document in order; all its text is in them but for white space at their ends."""
    found: list[Piece] = []
    for section in document.sections:
        for start, page, text in _of_section(section):
            turns = not found or found[-1].page != page
            found.append(Piece(len(found) + 1, section.ordinal, start, page, text, turns))
    return tuple(found)


def _of_section(section: SectionText) -> Iterator[tuple[int, int | None, str]]:
    start = 0
    for turned, text in enumerate(section.text.split("\f")):
        page = None if section.page_start is None else section.page_start + turned
        for offset, cut in _bounded(text):
            if stripped := cut.strip():
                yield start + offset + cut.index(stripped), page, stripped
        start += len(text) + 1


def _bounded(text: str) -> Iterator[tuple[int, str]]:
    """Cut a text that is too long at the best break in its second half; yields offset and piece."""
    start = 0
    while len(rest := text[start:]) > PIECE_BYTES // 4 and len(rest.encode()) > PIECE_BYTES:
        fitting = rest.encode()[:PIECE_BYTES].decode(errors="ignore")
        cut = next((at for mark in _BREAKS if (at := fitting.rfind(mark)) >= len(fitting) // 2), None)
        length = len(fitting) if cut is None else cut + 1
        yield start, rest[:length]
        start += length
    yield start, rest
