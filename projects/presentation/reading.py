"""Loads what is shown of a document at once: a page, or a part of one that is long, with what is sought marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Length

from projects.facsimile.pages import has_pictures
from projects.facsimile.wire import Wanted
from projects.intake.extract.rows import CELL_GAP
from projects.models import Citation, Document, Section
from projects.presentation.highlights import Run, marks, telling_stems
from projects.presentation.quotes import Span, find
from projects.presentation.sheets import PAGE_BREAK, Piece, join_tables, lay_out, page_span

PART = 40_000
"""Characters shown at once: a dozen pages, or as much as a browser lays out in a blink."""
LOOKED_THROUGH = 1_000_000
"""Characters of a document in which a quote is looked for that is no longer where it was."""


@dataclass(frozen=True)
class Sought:
    """What to mark: a stretch of a section, or where `question` is given its words within that stretch.

    `at` is the character of the section that is to be seen first.
    """

    section_id: int
    span: Span
    at: int
    question: str = ""


@dataclass(frozen=True)
class Place:
    """A page, and which part of it; page None in documents without pages."""

    page: int | None
    part: int = 1


@dataclass(frozen=True)
class Leaf:
    """What is shown at once.

    `heading` is the path of the section with the words in question, or else of the first one; empty if that began on a
    page before, where other headings may have followed.
    """

    place: Place
    pages: int | None
    parts: int
    heading: tuple[str, ...] = ()
    pieces: tuple[Piece, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    first_mark: Run | None = None
    before: Place | None = None
    after: Place | None = None


class _Contents(TypedDict):
    """The part of a leaf that comes from the text on it."""

    heading: tuple[str, ...]
    pieces: tuple[Piece, ...]
    wanted: tuple[Wanted, ...]
    first_mark: Run | None


def sought_by_citation(citation: Citation) -> Sought | None:
    """Return where the words of a citation stand now; None if they do no more."""
    for section, start in _candidates(citation):
        if span := find(section.text, citation.quote, start):
            return Sought(section.pk, span, span.start)
    return None


def sought_by_hit(section: Section, passage: Span, question: str) -> Sought:
    """Return the passage of a search hit, a stretch of a section, with the words that were searched for."""
    words = marks(section.text[passage.start : passage.end], question)
    first = passage.start + words[0].start if words else passage.start
    return Sought(section.pk, passage, first, question)


def leaf_of(document: Document, place: Place | None = None, sought: Sought | None = None) -> Leaf:
    """Return what to show: at `place`, else where the words in question are, else at the beginning."""
    section = document.sections.filter(pk=sought.section_id).first() if sought else None
    pages = _pages(document)
    page = _page(place, section, sought, pages)
    parts = _parts(_on(document, page))
    wanted_part = place.part if place else _part_of(parts, section)
    part = max(1, min(wanted_part, len(parts)))
    sections = _on(document, page).filter(ordinal__range=parts[part - 1])
    before, after = _neighbours(Place(page, part), pages, len(parts))
    return Leaf(Place(page, part), pages, len(parts), **_contents(sections, page, sought), before=before, after=after)


def _pages(document: Document) -> int | None:
    """Return how many pages there are to turn; formats that count pages need not say what stands on which."""
    last = document.sections.aggregate(last=Max("page_end"))["last"]
    if last is None and not has_pictures(document.media_type):
        return None
    return max(last or 1, document.pages or 1)


def _page(place: Place | None, section: Section | None, sought: Sought | None, pages: int | None) -> int | None:
    if pages is None:
        return None
    page = place.page if place else None
    if page is None and section and sought and section.page_start is not None:
        page = section.page_start + section.text.count(PAGE_BREAK, 0, sought.at)
    return max(1, min(page or 1, pages))


def _on(document: Document, page: int | None) -> QuerySet[Section]:
    """Return the sections that have text on a page; what has no page stands on the first."""
    sections = document.sections.order_by("ordinal")
    if page is None:
        return sections
    there = Q(page_start__lte=page, page_end__gte=page)
    return sections.filter(there | Q(page_start__isnull=True) if page == 1 else there)


def _parts(sections: QuerySet[Section]) -> list[tuple[int, int]]:
    """Return the first and last ordinal of each part, by the length of the sections; at least one part."""
    parts: list[tuple[int, int]] = []
    used = 0
    for ordinal, length in sections.annotate(length=Length("text")).values_list("ordinal", "length"):
        if parts and used + length <= PART:
            parts[-1] = (parts[-1][0], ordinal)
            used += length
        else:
            parts.append((ordinal, ordinal))
            used = length
    return parts or [(0, 0)]


def _part_of(parts: Sequence[tuple[int, int]], section: Section | None) -> int:
    if section is None:
        return 1
    return next((n for n, (first, last) in enumerate(parts, start=1) if first <= section.ordinal <= last), 1)


def _neighbours(place: Place, pages: int | None, parts: int) -> tuple[Place | None, Place | None]:
    page, part = place.page, place.part
    before = after = None
    if part > 1:
        before = Place(page, part - 1)
    elif page is not None and page > 1:
        before = Place(page - 1)
    if part < parts:
        after = Place(page, part + 1)
    elif page is not None and pages is not None and page < pages:
        after = Place(page + 1)
    return before, after


def _contents(sections: Iterable[Section], page: int | None, sought: Sought | None) -> _Contents:
    pieces: list[Piece] = []
    wanted: list[Wanted] = []
    headings: list[list[str]] = []
    for section in sections:
        cut = page_span(section.text, section.page_start, page)
        if cut is None:
            continue
        text = section.text[cut.start : cut.end]
        marked: list[Span] = []
        inside = _overlap(sought.span, cut) if sought and sought.section_id == section.pk else None
        if sought and inside:
            marked, words = _marked(text, inside, sought.question)
            wanted.append(words)
        path = section.heading if cut.start == 0 else []
        headings.insert(0 if marked else len(headings), path)
        pieces += lay_out(text, path[-1] if path else "", marked)
    pieces = join_tables(pieces)
    return _Contents(
        heading=tuple(headings[0]) if headings else (),
        pieces=tuple(pieces),
        wanted=tuple(wanted),
        first_mark=next((run for run in _runs(pieces) if run.marked), None),
    )


def _overlap(span: Span, cut: Span) -> Span | None:
    """Return what of a span lies within the cut, counted from the beginning of the cut."""
    start, end = max(span.start, cut.start), min(span.end, cut.end)
    return Span(start - cut.start, end - cut.start) if start < end else None


def _marked(text: str, inside: Span, question: str) -> tuple[list[Span], Wanted]:
    """Return what to mark in the text and what to mark on the page's picture."""
    passage = text[inside.start : inside.end]
    words = [Span(inside.start + span.start, inside.start + span.end) for span in marks(passage, question)]
    # The strokes between the cells of a table are ours.
    printed = Wanted(quote=passage.replace(CELL_GAP, " "), words=sorted(telling_stems(question)) if words else [])
    return words or [inside], printed


def _runs(pieces: Iterable[Piece]) -> Iterator[Run]:
    for piece in pieces:
        yield from piece.runs
        for row in (piece.header, *piece.rows):
            for cell in row:
                yield from cell


def _candidates(citation: Citation) -> Iterator[tuple[Section, int]]:
    """Yield sections in which the words of a citation may stand, the likeliest first, with where to begin."""
    chunk = citation.chunk
    if chunk is not None:
        yield chunk.section, chunk.start
    if citation.page is not None:
        yield from ((section, 0) for section in _on(citation.document, citation.page))
    seen = 0
    for section in citation.document.sections.order_by("ordinal").iterator():
        seen += len(section.text)
        if seen > LOOKED_THROUGH:
            return
        yield section, 0
