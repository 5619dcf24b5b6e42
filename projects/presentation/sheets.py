"""Lays a document's sections out as the pages they came from, with a quoted passage marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class SectionText:
    """A section with the places where a new page begins: (first character, page), in order."""

    heading: str
    text: str
    page: int | None
    breaks: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class Quote:
    """Words to mark: in section number `section` near character `start`, or anywhere when `section` is None."""

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
    """Text under one heading on one sheet; the heading is empty where a section goes on from the sheet before."""

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
        for page, start, end in _spans(section):
            if not sheets or sheets[-1].page != page:
                sheets.append(Sheet(page))
            heading = section.heading if start == 0 else ""
            sheets[-1].blocks.append(Block(heading, tuple(_runs(section.text, (start, end), span))))
    return sheets


def _spans(section: SectionText) -> Iterable[tuple[int | None, int, int]]:
    """Yield (page, first character, end) for each page the section touches."""
    page, start = section.page, 0
    for position, next_page in section.breaks:
        if next_page == page:
            continue
        if section.text[start:position].strip():
            yield page, start, position
            start = position
        page = next_page
    yield page, start, len(section.text)


def _runs(text: str, span: tuple[int, int], marked: tuple[int, int]) -> Iterable[Run]:
    """Cut text[span] into the part before the marked stretch, the part inside it and the part after."""
    start, end = span
    first, last = max(start, min(marked[0], end)), max(start, min(marked[1], end))
    for begin, stop, inside in ((start, first, False), (first, last, True), (last, end, False)):
        if stop > begin:
            yield Run(text[begin:stop], inside)


def _locate(sections: Sequence[SectionText], quote: Quote) -> tuple[int, int, int] | None:
    """Return (section, first character, end) of the quoted words, whatever the white space between them."""
    words = quote.words.strip(" …\n\t").split()
    if not words:
        return None
    pattern = re.compile(r"\s+".join(map(re.escape, words)))
    order = list(range(len(sections)))
    if quote.section is not None:
        if match := pattern.search(sections[quote.section].text, quote.start):
            return quote.section, match.start(), match.end()
        order.sort(key=lambda index: index != quote.section)
    for index in order:
        if match := pattern.search(sections[index].text):
            return index, match.start(), match.end()
    return None
