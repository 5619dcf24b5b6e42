"""Reading interleaved columns of running text one after the other.

Some programs draw a page in columns line by line from edge to edge, and its text then comes in that order. Whatever is
not surely running text (forms, tables, lists of pairs) keeps the order in which it was drawn, which is its rows'.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from statistics import median

from projects.intake.extract.layout import SENTENCE_END, SOFT_HYPHEN, Line, parted

LEAST_LINES = 4
"""In each of two columns: fewer may be anything."""
ALTERNATION = 1.2
"""Changes between the columns, for each line of the shorter one, from which on they count as interleaved. It is 2 where
lines strictly alternate, and below 1 in a table whose cells hold several lines each."""
FULL = 0.75
"""Of the width of its column, from which on a line counts as filled: running text wraps, cells do not."""
LEAST_FULL = 0.6
"""The share of filled lines in running text; the others end paragraphs."""
LEAST_LETTERS = 15
"""In the middle line of a column: dates and amounts fill their columns too."""
MOST_LABELS = 0.25
"""The share of lines that may end in a colon."""
INDENT = 2.0
"""How far from each other the lines of a column may begin, in heights of a line."""
GUTTER = 0.8
"""The least gap between two columns, in heights of a line."""
MOST_EDGES = 24
"""Places that are tried as beginnings of a column: a large table has hundreds."""
FAR = 3.0
"""The gap across both columns that ends them, in heights of a line: what is beyond it is a header or a footer."""


@dataclass(frozen=True)
class Piece:
    """What stands together on a line, parted from the rest by a wide gap; places count from the page's top left."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top


@dataclass(frozen=True)
class Row:
    """A line from edge to edge and its pieces from left to right; none if their places are not known."""

    line: Line
    pieces: tuple[Piece, ...] = ()


@dataclass(frozen=True)
class _Placed:
    """A piece, when it was drawn (`turn`), and the number of its row."""

    turn: int
    row: int
    piece: Piece


@dataclass(frozen=True)
class _Band:
    """A stretch of the page in two columns; either may hold columns of its own."""

    first: tuple[_Placed, ...]
    second: tuple[_Placed, ...]


def in_reading_order(rows: Sequence[Row]) -> list[Line]:
    """Return the rows' lines: interleaved columns one after the other, everything else as it comes."""
    band = _band(rows)
    return [row.line for row in rows] if band is None else _around(rows, band)


def _around(rows: Sequence[Row], band: _Band) -> list[Line]:
    """Return what was drawn before the band's first line, its columns, and all the rest."""
    columns = [line for column in (band.first, band.second) for line in _column(rows, column)]
    inside = {item.turn for item in (*band.first, *band.second)}
    start = min(item.row for item in (*band.first, *band.second))
    outside = [item for item in _placed(rows) if item.turn not in inside and item.row >= start]
    unplaced = [(number, row) for number, row in enumerate(rows) if number >= start and not row.pieces]
    after = sorted([*_rows(rows, outside), *unplaced], key=lambda numbered: numbered[0])
    return [*in_reading_order(rows[:start]), *columns, *in_reading_order([row for _, row in after])]


def _column(rows: Sequence[Row], column: Sequence[_Placed]) -> list[Line]:
    """Return the lines of one side of a band, which may be columns again."""
    own = sorted((row for _, row in _rows(rows, column)), key=lambda row: row.pieces[0].top)
    band = _band(own)
    return list(_running(own)) if band is None else _around(own, band)


def _placed(rows: Sequence[Row]) -> list[_Placed]:
    pieces = ((number, piece) for number, row in enumerate(rows) for piece in row.pieces)
    return [_Placed(turn, number, piece) for turn, (number, piece) in enumerate(pieces)]


def _rows(rows: Sequence[Row], items: Sequence[_Placed]) -> list[tuple[int, Row]]:
    """Return the rows with their numbers as far as they are made of `items`."""
    found = []
    for number, group in groupby(sorted(items, key=lambda item: item.turn), key=lambda item: item.row):
        pieces = tuple(item.piece for item in group)
        line = replace(rows[number].line, text=" ".join(piece.text for piece in pieces), wraps=False)
        found.append((number, rows[number] if len(pieces) == len(rows[number].pieces) else Row(line, pieces)))
    return found


def _running(rows: Sequence[Row]) -> Iterator[Line]:
    """Yield the lines of a column, those that fill it marked as going on below."""
    left = min(row.pieces[0].left for row in rows)
    right = _most([row.pieces[-1].right for row in rows])
    for row in rows[:-1]:
        line = row.line
        text = parted(line.text)
        if text.endswith(SOFT_HYPHEN):
            yield replace(line, text=text)
        else:
            filled = row.pieces[-1].right - left >= FULL * (right - left)
            yield replace(line, wraps=filled and not SENTENCE_END.search(line.text))
    yield rows[-1].line


def _band(rows: Sequence[Row]) -> _Band | None:
    """Return the first stretch of interleaved columns on either side of the likeliest gutter."""
    placed = _placed(rows)
    if len(placed) < 2 * LEAST_LINES:
        return None
    height = median(item.piece.height for item in placed)
    from_top = sorted(placed, key=lambda item: item.piece.top)
    for edge in _edges(placed, height):
        for stretch in _stretches(from_top, edge, height):
            band = _split(stretch, edge)
            if band is not None:
                return band
    return None


def _edges(placed: Sequence[_Placed], height: float) -> list[float]:
    """Return where a column may begin that is not the first: where many pieces do, most first."""
    lefts = sorted(item.piece.left for item in placed)
    first = min(item.piece.right for item in placed) + GUTTER * height
    support: dict[float, int] = {
        edge: bisect_right(lefts, edge + INDENT * height) - bisect_left(lefts, edge - 1)
        for edge in sorted({round(left) for left in lefts if left >= first})
    }
    likely = [edge for edge, count in support.items() if count >= LEAST_LINES]
    return sorted(likely, key=lambda edge: -support[edge])[:MOST_EDGES]


def _stretches(from_top: Sequence[_Placed], edge: float, height: float) -> Iterator[list[_Placed]]:
    """Yield the stretches of the page, from the top, in which no piece reaches across the gutter before `edge`."""
    stretch: list[_Placed] = []
    reached = 0.0
    for item in from_top:
        piece = item.piece
        crosses = piece.left < edge - 1 and piece.right > edge - GUTTER * height
        if stretch and (crosses or piece.top - reached > FAR * height):
            yield stretch
            stretch = []
        if not crosses:
            stretch.append(item)
        reached = max(reached, piece.bottom)
    yield stretch


def _split(stretch: Sequence[_Placed], edge: float) -> _Band | None:
    """Return a stretch as two columns if it is running text and was drawn alternating between them."""
    left = tuple(item for item in stretch if item.piece.left < edge - 1)
    right = tuple(item for item in stretch if item.piece.left >= edge - 1)
    fewer = min(len(left), len(right))
    if fewer < LEAST_LINES:
        return None
    sides = [item.piece.left < edge - 1 for item in sorted(stretch, key=lambda item: item.turn)]
    changes = sum(side != following for side, following in pairwise(sides))
    if changes < ALTERNATION * fewer or not (_is_running(left) and _is_running(right)):
        return None
    return _Band(right, left) if _from_right_to_left(stretch) else _Band(left, right)


def _is_running(column: Sequence[_Placed]) -> bool:
    """Tell running text, whose lines fill the column, from cells, labels and lists."""
    texts = [item.piece.text for item in column]
    widths = [item.piece.width for item in column]
    full = sum(width >= FULL * _most(widths) for width in widths)
    labels = sum(text.endswith(":") for text in texts)
    letters = median(sum(map(str.isalpha, text)) for text in texts)
    wide = sum(unicodedata.east_asian_width(character) in "WF" for text in texts for character in text)
    needed = LEAST_LETTERS / 2 if wide > len("".join(texts)) / 2 else LEAST_LETTERS
    return full >= LEAST_FULL * len(column) and labels <= MOST_LABELS * len(column) and letters >= needed


def _from_right_to_left(stretch: Sequence[_Placed]) -> bool:
    directions = [unicodedata.bidirectional(character) for item in stretch for character in item.piece.text]
    return sum(direction in {"R", "AL"} for direction in directions) > directions.count("L")


def _most(values: Sequence[float]) -> float:
    """Return what nearly all values stay below: single ones that stick out do not count."""
    return sorted(values)[int(0.9 * (len(values) - 1))]
