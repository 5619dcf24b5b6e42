"""Puts the cells of a table in HTML into rows and columns, those that cover several of them included."""

from __future__ import annotations

from collections.abc import Iterator

from projects.intake.extract.base import Block
from projects.intake.extract.rows import header_index, table_blocks

MAX_SPAN = 100
"""Columns that one cell may cover; the mark-up allows 1,000 in each of any number of cells."""
MAX_COLUMNS = 500
"""Beyond these no cell covers more than one row, so that a few tags cannot unfold to gigabytes."""


class Table:
    """A table of data while it is read: cells are added in the order of the mark-up."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._reaching: dict[int, tuple[int, str]] = {}  # by column: in how many more rows this cell stands
        self._header_rows = 0

    def begin_row(self) -> None:
        """Go to the next row; cells that reach down from above come first."""
        self._end_row()
        self._rows.append([])
        self._fill()

    def add(self, text: str, columns: int, rows: int) -> None:
        """Add a cell; one that covers several rows stands in each, so that each row can be understood alone."""
        if not self._rows:
            self.begin_row()
        row = self._rows[-1]
        for covered in (text, *[""] * (min(columns, MAX_SPAN) - 1)):
            if rows > 1 and len(row) < MAX_COLUMNS:
                self._reaching[len(row)] = (rows - 1, covered)
            row.append(covered)
        self._fill()

    def end_header(self) -> None:
        """Take all rows so far for the header."""
        self._header_rows = self._header_rows or len(self._rows)

    def end_header_row(self) -> None:
        """Take the last row for one of the header, unless rows of another kind came before it."""
        if len(self._rows) == self._header_rows + 1:
            self._header_rows += 1

    def blocks(self) -> Iterator[Block]:
        """Yield the table in blocks of rows, each headed by the last row of the header, or by a row that can be one."""
        self._end_row()
        header = self._header_rows - 1
        if header < 0:
            header = 0 if header_index(self._rows) == 0 else -1
        yield from table_blocks([], self._rows[: max(header, 0)])
        yield from table_blocks(self._rows[header] if header >= 0 else [], self._rows[header + 1 :])

    def _fill(self) -> None:
        """Put cells that reach down from above where the row has come to them."""
        row = self._rows[-1]
        while reaching := self._reaching.pop(len(row), None):
            left, text = reaching
            if left > 1:
                self._reaching[len(row)] = (left - 1, text)
            row.append(text)

    def _end_row(self) -> None:
        """Put the cells that reach down beyond the row's own."""
        if not self._rows:
            return
        row = self._rows[-1]
        for column in sorted(column for column in self._reaching if column >= len(row)):
            row += [""] * (column - len(row))
            self._fill()
