"""Finding what heads the columns of a table that somebody laid out by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from projects.intake.extract.base import Block
from projects.intake.extract.rows import HEADER_ROWS, header_index, table_blocks


def grid_blocks(rows: Sequence[Sequence[str]], marked: int = 0, page: int | None = None) -> Iterator[Block]:
    """Yield a table of a text or slide as blocks of rows, the header in each; `marked` rows are its header by format.

    Without such a mark a first row counts as header only over columns of figures: tables are also used to put words in
    their places, and words come once.
    """
    if not marked and header_index(rows) == 0 and stands_over_figures(rows[0], rows[1:]):
        marked = 1
    header = rows[marked - 1] if 0 < marked < len(rows) else ()
    first = marked if header else 0
    yield from table_blocks((), rows[: max(first - 1, 0)], page)
    yield from table_blocks(header, rows[first:], page)


def stands_over_figures(header: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether a row has words where the rows below mostly have figures."""
    for place, name in enumerate(header):
        below = [row[place] for row in rows[:HEADER_ROWS] if place < len(row) and row[place]]
        if name and not is_figure(name) and below and 2 * sum(map(is_figure, below)) > len(below):
            return True
    return False


def is_figure(text: str) -> bool:
    """Tell an amount or a date from words: most of its letters and digits are digits."""
    signs = [sign for sign in text if sign.isalnum()]
    return 2 * sum(sign.isdigit() for sign in signs) > len(signs)
