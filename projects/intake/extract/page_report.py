"""What became of each page of a file, in sentences for the person who has to trust the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from projects.intake.extract.base import Report
from projects.intake.extract.layout import Page

BY_OCR = "read by text recognition (OCR)"
KNOWN_SCRIPTS = "OCR knows Latin letters, Chinese and Japanese."
CHECK = "Compare names and figures with the original."


class How(Enum):
    """How a page was read."""

    TEXT = auto()
    """By its text layer."""
    OCR = auto()
    """From its picture, for want of a text layer."""
    INSTEAD = auto()
    """From its picture, since its text layer is garbled."""
    DOUBTFUL = auto()
    """By its text layer, which seems garbled: the picture gave nothing."""
    BLANK = auto()
    """Not at all: there is nothing on it."""
    SILENT = auto()
    """Not at all: there is something on it and no text was found."""
    BROKEN = auto()
    """Not at all: it does not open."""


@dataclass(frozen=True)
class PageRead:
    """A page, how it was read, and what is missing: lines that are `unsure` or `illegible`, characters, pictures."""

    page: Page
    how: How
    unsure: int = 0
    illegible: int = 0
    replaced: int = 0
    pictures: bool = False


def report_of(reads: Sequence[PageRead], left_out: Sequence[str] = ()) -> Report:
    """Return the reading report; `left_out` are sentences about the file as a whole."""
    pictured = [read.page.number for read in reads if read.pictures and read.how is How.TEXT]
    return Report(
        ocr=_pages(reads, How.OCR, How.INSTEAD),
        unreadable=_pages(reads, How.SILENT, How.BROKEN),
        replaced=sum(read.replaced for read in reads),
        left_out=(*((f"What pictures show ({named(pictured)}).",) if pictured else ()), *left_out),
    )


def warnings_of(reads: Sequence[PageRead]) -> tuple[str, ...]:
    """Return what a person must know before relying on the text; nothing if it is all there."""
    return tuple(_warnings(reads))


def named(pages: Sequence[int]) -> str:
    """Return 'page 2' or 'pages 2, 4–6' for page numbers in ascending order."""
    spans: list[list[int]] = []
    for page in pages:
        if spans and page == spans[-1][-1] + 1:
            spans[-1].append(page)
        else:
            spans.append([page])
    written = (f"{span[0]}–{span[-1]}" if len(span) > 2 else ", ".join(map(str, span)) for span in spans)
    return f"{'page' if len(pages) == 1 else 'pages'} {', '.join(written)}"


def _pages(reads: Sequence[PageRead], *hows: How) -> tuple[int, ...]:
    return tuple(read.page.number for read in reads if read.how in hows)


def _warnings(reads: Sequence[PageRead]) -> Iterator[str]:
    by_ocr = _pages(reads, How.OCR)
    if by_ocr:
        yield f"{_subject(by_ocr, len(reads))} {BY_OCR}. {CHECK}"
    for how, sentence in (
        (How.INSTEAD, f"The text layer of {{}} is garbled: it was {BY_OCR} instead. {CHECK}"),
        (How.DOUBTFUL, "The text of {} seems garbled, and text recognition (OCR) found none there: it is kept."),
        (How.SILENT, "No text was found on {} by text recognition (OCR)."),
        (How.BROKEN, "Not read, since damaged: {}."),
    ):
        pages = _pages(reads, how)
        if pages:
            yield sentence.format(named(pages))
    yield from _unsure(sum(read.unsure for read in reads), sum(read.illegible for read in reads))
    lost = sum(read.replaced for read in reads)
    if lost:
        yield f"{_count(lost, 'character')} could not be read: the file does not say which they are."


def _subject(pages: Sequence[int], total: int) -> str:
    if len(pages) == total:
        return {1: "The text was", 2: "Both pages were"}.get(total, f"All {total} pages were")
    return f"{named(pages).capitalize()} {'was' if len(pages) == 1 else 'were'}"


def _unsure(unsure: int, illegible: int) -> Iterator[str]:
    if unsure:
        yield f"{_count(unsure, 'line')} could be read only with doubt and may be wrong."
    if illegible:
        left_out = "is left out" if illegible == 1 else "are left out"
        yield f"{_count(illegible, 'line')} could not be deciphered and {left_out}. {KNOWN_SCRIPTS}"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
