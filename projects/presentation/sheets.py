"""Lays a stretch of a document's text out as headings, paragraphs and tables, with the words in question marked."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from projects.presentation.highlights import Run, runs
from projects.presentation.quotes import Span

PAGE_BREAK = "\f"
LEAST_ROWS = 2
"""Lines with cells that make a table; a single one is a line with strokes in it."""

_LINE = re.compile(r"[^\n]*\n?")
_STROKE = re.compile(r"(?:(?<=\s)|^)\|(?=\s|$)")
"""What stands between two cells; at the end of a line the space after it may be gone."""


Row = tuple[tuple[Run, ...], ...]


@dataclass(frozen=True)
class Piece:
    """A heading, a paragraph or a table: either `runs`, or `rows` of cells that are runs each.

    `header` is a table's first row where it is known to name the columns.
    """

    runs: tuple[Run, ...] = ()
    is_heading: bool = False
    rows: tuple[Row, ...] = ()
    header: Row = ()


def page_span(text: str, first_page: int | None, page: int | None) -> Span | None:
    """Return what of a section's text stands on a page, None if nothing does; all of it where there are no pages."""
    if page is None or first_page is None:
        return Span(0, len(text))
    start = 0
    for _ in range(page - first_page):
        start = text.find(PAGE_BREAK, start) + 1
        if not start:
            return None
    if page < first_page:
        return None
    end = text.find(PAGE_BREAK, start)
    return Span(start, len(text) if end < 0 else end)


def lay_out(text: str, heading: str = "", marked: Sequence[Span] = ()) -> list[Piece]:
    """Return the pieces of a text, which may begin with its heading; `marked` are stretches of it, in order."""
    pieces: list[Piece] = []
    start = 0
    if heading and text.startswith(heading):
        start = len(heading)
        pieces.append(Piece(tuple(runs(text, marked, 0, start)), is_heading=True))
    for is_table, span in _groups(text, start):
        if is_table:
            pieces.append(Piece(rows=tuple(_row(text, line, marked) for line in _lines(text, span))))
        else:
            bare = _stripped(text, span)
            if bare.end > bare.start:
                pieces.append(Piece(tuple(runs(text, marked, bare.start, bare.end))))
    return pieces


def join_tables(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces with tables as one that were cut into several: each of those begins with the same row."""
    joined: list[Piece] = []
    for piece in pieces:
        before = joined[-1] if joined else Piece()
        first = before.header or (before.rows[0] if before.rows else ())
        if piece.rows and first and words_of(first) == words_of(piece.rows[0]):
            rows = before.rows if before.header else before.rows[1:]
            # What is marked in a row that is dropped would be lost.
            header = first if not _is_marked(piece.rows[0]) else piece.rows[0]
            joined[-1] = Piece(rows=(*rows, *piece.rows[1:]), header=header)
        else:
            joined.append(piece)
    return joined


def words_of(row: Row) -> list[str]:
    """Return the text of each cell."""
    return ["".join(run.text for run in cell) for cell in row]


def _is_marked(row: Row) -> bool:
    return any(run.marked for cell in row for run in cell)


def _groups(text: str, start: int) -> Iterator[tuple[bool, Span]]:
    """Yield runs of lines that are rows of a table, and of lines that are not."""
    prose: Span | None = None
    for has_cells, group in groupby(_lines(text, Span(start, len(text))), key=lambda line: _has_cells(text, line)):
        lines = list(group)
        span = Span(lines[0].start, lines[-1].end)
        if has_cells and len(lines) >= LEAST_ROWS:
            if prose:
                yield False, prose
            yield True, span
            prose = None
        else:
            prose = Span(prose.start, span.end) if prose else span
    if prose:
        yield False, prose


def _lines(text: str, span: Span) -> list[Span]:
    lines = (match.span() for match in _LINE.finditer(text, span.start, span.end))
    return [Span(*line) for line in lines if line[1] > line[0]]


def _has_cells(text: str, line: Span) -> bool:
    return _STROKE.search(text[line.start : line.end]) is not None


def _row(text: str, line: Span, marked: Sequence[Span]) -> Row:
    cells: list[tuple[Run, ...]] = []
    at = line.start
    # Matched on the line alone: for a pattern with a place to start, '^' is still the beginning of the text.
    for match in _STROKE.finditer(text[line.start : line.end]):
        cells.append(_cell(text, Span(at, line.start + match.start()), marked))
        at = line.start + match.end()
    cells.append(_cell(text, Span(at, line.end), marked))
    return tuple(cells)


def _cell(text: str, span: Span, marked: Sequence[Span]) -> tuple[Run, ...]:
    bare = _stripped(text, span)
    return tuple(runs(text, marked, bare.start, bare.end))


def _stripped(text: str, span: Span) -> Span:
    """Return the span without white space at its ends."""
    inside = text[span.start : span.end]
    start = span.start + len(inside) - len(inside.lstrip())
    return Span(start, max(start, span.end - (len(inside) - len(inside.rstrip()))))
