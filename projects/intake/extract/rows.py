"""Writing rows of cells as text whose every piece can be understood alone."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from statistics import mode

from projects.intake.extract.base import Block, clean
from projects.intake.word_pieces import most_pieces

CELL_GAP = " | "
BLOCK_LIMIT = 180
"""Word pieces of a block, header included: three quarters of a chunk, which is never cut, so that each chunk of a long
table names its columns."""
LEAST_SHARE = 3
"""A block is at least this many times as long as its header: a wide header must not be most of what is read."""
HEADER_ROWS = 20
"""The header is looked for in these: exports put a title, an account or a period above it."""

_FIGURE = re.compile(r"[-+(]?\s*[$€£¥]?\s*\d[\d.,:/'’\s-]*\s*(?:[%$€£¥)]|[A-Z]{3})?")
"""Amounts, dates, times, percentages: what fills a table and names no column, but for years."""
_YEAR = re.compile(r"(?:19|20)\d\d")


def table_blocks(header: Sequence[str], rows: Iterable[Sequence[str]], page: int | None = None) -> Iterator[Block]:
    """Yield a table as blocks of rows, one row a line, cells apart by ' | ', the header first in every block.

    Rows may differ in length and are taken one at a time; those without any text are left out. An empty header is none.
    """
    first = row_text(header)
    least = most_pieces(first)
    lines: list[str] = []
    size = least
    for line in filter(None, map(row_text, rows)):
        pieces = most_pieces(line)
        if lines and size + pieces > max(BLOCK_LIMIT, LEAST_SHARE * least):
            yield _block(first, lines, page)
            lines, size = [], least
        lines.append(line)
        size += pieces
    if first or lines:
        yield _block(first, lines, page)


def row_text(row: Sequence[str]) -> str:
    """Return a row as one line; empty cells keep their place, but for those at its end."""
    cells = [" ".join(clean(cell).split()) for cell in row]
    while cells and not cells[-1]:
        cells.pop()
    return CELL_GAP.join(cells)


def header_index(rows: Iterable[Sequence[str]]) -> int | None:
    """Return which of the first rows names the columns, None if none does.

    It is the first row with as many cells filled as rows mostly have, all of them words (or years) and no two the same.
    Rows above it are a title.
    """
    filled = [[cell.strip() for cell in row if cell.strip()] for row in islice(rows, HEADER_ROWS)]
    widths = [len(cells) for cells in filled if len(cells) > 1]
    if not widths:
        return None
    usual = mode(widths)
    for index, cells in enumerate(filled):
        if len(cells) >= usual:
            return index if _names_columns(cells) and index + 1 < len(filled) else None
    return None


def _names_columns(cells: Sequence[str]) -> bool:
    distinct = len({cell.casefold() for cell in cells}) == len(cells)
    words = sum(not _FIGURE.fullmatch(cell) for cell in cells)
    return distinct and words > 0 and all(not _FIGURE.fullmatch(cell) or _YEAR.fullmatch(cell) for cell in cells)


def _block(header: str, lines: Sequence[str], page: int | None) -> Block:
    return Block("\n".join([header, *lines] if header else lines), page)
