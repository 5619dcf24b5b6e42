"""Lays a document's sections out as the pages they came from, with a quoted passage marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

PAGE_BREAK = "\f"


@dataclass(frozen=True)
class SectionText:
    """A section: its text begins with its heading where it has one, and turns a page at each form feed."""

    heading: str
    text: str
    page: int | None


@dataclass(frozen=True)
class Quote:
    """Words to mark: in section number `section` from character `start` on, or else wherever they stand first."""

    words: str
    section: int | None = None
    start: int = 0


@dataclass(frozen=True)
class Run:
    """A stretch of text, marked or not."""

    text: str
    marked: bool = False


@dataclass(frozen=True)
class Block:
    """What one section has on one sheet; the heading is empty where the section goes on from the sheet before."""

    heading: str
    runs: tuple[Run, ...]


@dataclass
class Sheet:
    """One page of the document, or the whole of a format without pages (`page` None)."""

    page: int | None
    blocks: list[Block] = field(default_factory=list)


def lay_out(sections: Sequence[SectionText], quote: Quote | None = None) -> list[Sheet]:
    """Return the sheets in reading order; at most one passage is marked."""
    marked = _locate(sections, quote) if quote else None
    sheets: list[Sheet] = []
    for index, section in enumerate(sections):
        span = marked[1:] if marked and marked[0] == index else (0, 0)
        for page, block in _blocks(section, span):
            if not sheets or sheets[-1].page != page:
                sheets.append(Sheet(page))
            sheets[-1].blocks.append(block)
    return sheets


def _blocks(section: SectionText, marked: tuple[int, int]) -> Iterator[tuple[int | None, Block]]:
    """Yield the section's blocks with their pages; pages without text are left out."""
    start = 0
    heading = section.heading if section.heading and section.text.startswith(section.heading) else ""
    for turned, text in enumerate(section.text.split(PAGE_BREAK)):
        end = start + len(text)
        first = start + len(heading)
        first += len(section.text[first:end]) - len(section.text[first:end].lstrip())
        if text.strip():
            page = None if section.page is None else section.page + turned
            yield page, Block(heading, tuple(_runs(section.text, (first, end), marked)))
        heading = ""
        start = end + len(PAGE_BREAK)


def _runs(text: str, span: tuple[int, int], marked: tuple[int, int]) -> Iterable[Run]:
    """Cut text[span] into the part before the marked stretch, the part inside it and the part after."""
    start, end = span
    first, last = (min(max(position, start), end) for position in marked)
    for begin, stop, inside in ((start, first, False), (first, last, True), (last, end, False)):
        if stop > begin:
            yield Run(text[begin:stop], inside)


def _locate(sections: Sequence[SectionText], quote: Quote) -> tuple[int, int, int] | None:
    """Return (section, first character, end) of the quoted words, whatever the white space between them."""
    words = quote.words.split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    places = [(index, 0) for index in range(len(sections))]
    if quote.section is not None:
        places.insert(0, (quote.section, quote.start))
    for index, start in places:
        if match := pattern.search(sections[index].text, start):
            return index, match.start(), match.end()
    return None
