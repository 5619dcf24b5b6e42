"""Puts the cells of a Word table into rows and columns, those that cover several of them included."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from projects.intake.extract.base import Block
from projects.intake.extract.grids import grid_blocks

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VALUE = f"{_W}val"
MOST_COLUMNS = 63
"""That Word allows; a table by hand may claim any number."""
_OFF = {"0", "false", "off"}


class Grid:
    """A table while it is read."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._header_rows = 0

    def begin_row(self, row: Any) -> None:
        """Go to the next row; the first ones may be marked as a header that is repeated on each page."""
        mark = row.find(f"{_W}trPr/{_W}tblHeader")
        if mark is not None and mark.get(_VALUE) not in _OFF and self._header_rows == len(self._rows):
            self._header_rows += 1
        self._rows.append([""] * _number(row.find(f"{_W}trPr/{_W}gridBefore"), 0))

    def add(self, cell: Any, text: str) -> None:
        """Add a cell; one that goes on from the row above has that one's text, so that each row can be read alone."""
        row = self._rows[-1]
        merge = cell.find(f"{_W}tcPr/{_W}vMerge")
        if merge is not None and merge.get(_VALUE) != "restart" and not text and len(self._rows) > 1:
            above = self._rows[-2]
            text = above[len(row)] if len(row) < len(above) else ""
        row += [text, *[""] * (_number(cell.find(f"{_W}tcPr/{_W}gridSpan"), 1) - 1)]

    def blocks(self) -> Iterator[Block]:
        return grid_blocks(self._rows, self._header_rows)


def _number(element: Any, default: int) -> int:
    value = "" if element is None else element.get(_VALUE, "")
    return min(int(value), MOST_COLUMNS) if value.isascii() and value.isdigit() else default
