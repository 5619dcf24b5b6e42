"""Collects the paragraphs and tables of one stretch of an RTF document: its body, a header, a note."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from projects.intake.extract.base import Block, clean
from projects.intake.extract.grids import grid_blocks
from projects.intake.extract.rows import CELL_GAP


@dataclass
class _Row:
    """What is declared of a row before its cells come: which of them go on from above, whether it is a header."""

    continues: list[bool] = field(default_factory=list)
    is_header: bool = False


@dataclass(eq=False)
class Story:
    """Text is added as it comes; `blocks` are complete after `close`."""

    blocks: list[Block] = field(default_factory=list)
    tables: int = 0
    _text: list[str] = field(default_factory=list)
    _cells: list[str] = field(default_factory=list)
    _rows: list[list[str]] = field(default_factory=list)
    _boxes: list[Block] = field(default_factory=list)
    _table_boxes: list[Block] = field(default_factory=list)
    _row: _Row = field(default_factory=_Row)
    _merges: bool = False
    _header_rows: int = 0

    def add(self, text: str) -> None:
        self._text.append(text)

    def add_box(self, blocks: Iterable[Block]) -> None:
        """Put the text of a box after the paragraph or table in which it is anchored."""
        self._boxes += blocks

    def end_paragraph(self, level: int, in_table: bool) -> None:
        if in_table:
            self._text.append("\n")
            return
        text = self._taken()
        if text.strip():
            self._end_table()
            self.blocks.append(Block(text, level=level))
        if not self._rows:
            self._place(self._boxes)

    def begin_row(self) -> None:
        self._row = _Row()
        self._merges = False

    def mark_header(self) -> None:
        self._row.is_header = True

    def mark_merged(self) -> None:
        """Note that the next cell to be declared goes on from the row above."""
        self._merges = True

    def declare_cell(self) -> None:
        self._row.continues.append(self._merges)
        self._merges = False

    def end_cell(self) -> None:
        self._cells.append(" ".join(self._taken().split()))

    def end_inner_cell(self) -> None:
        self._text.append(CELL_GAP)

    def end_inner_row(self) -> None:
        """End a row of a table within a cell: its cells stay apart, its rows become one line."""
        while self._text and self._text[-1] == CELL_GAP:
            self._text.pop()
        self._text.append("\n")

    def end_row(self) -> None:
        above = self._rows[-1] if self._rows else []
        for place, continues in enumerate(self._row.continues[: len(self._cells)]):
            if continues and place < len(above) and not self._cells[place]:
                self._cells[place] = above[place]
        if self._row.is_header and self._header_rows == len(self._rows):
            self._header_rows += 1
        if self._cells:
            self._rows.append(self._cells)
        self._cells = []
        self._table_boxes += self._boxes
        self._boxes.clear()

    def close(self) -> None:
        """End what is still open, also in a file that was cut off."""
        if self._cells:
            self.end_cell()
            self.end_row()
        self.end_paragraph(0, in_table=False)
        self._end_table()

    def _taken(self) -> str:
        text = clean(_joined("".join(self._text))).strip()
        self._text.clear()
        return text

    def _end_table(self) -> None:
        if self._rows:
            self.tables += 1
            self.blocks += grid_blocks(self._rows, self._header_rows)
            self._rows = []
            self._header_rows = 0
            self._place(self._table_boxes)

    def _place(self, boxes: list[Block]) -> None:
        self.blocks += boxes
        boxes.clear()


def _joined(text: str) -> str:
    """Return text with its surrogates put together: RTF writes an emoji as two numbers."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
