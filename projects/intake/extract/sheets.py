"""Writing the sheets of a workbook as text: one page a sheet, tables whose every block names its columns."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from projects.intake.extract.base import Block
from projects.intake.extract.grids import stands_over_figures
from projects.intake.extract.rows import header_index, table_blocks

Row = list[str]
Cells = dict[int, dict[int, str]]
"""Displayed texts by row and column, both counted from 1; rows and cells without text are not there."""

MOST_RANGES = 5


@dataclass(frozen=True)
class Merge:
    """A range of cells shown as one; its text is that of the cell at its top left."""

    top: int
    left: int
    bottom: int


@dataclass(frozen=True)
class Hidden:
    """Which rows and columns of a sheet are not shown, as numbers; `sheet` if all of it is not."""

    sheet: bool = False
    rows: Sequence[int] = ()
    columns: Sequence[str] = ()

    def note(self) -> str:
        """Say what a person who opens the file does not see, though it is read; empty if there is none of it."""
        parts = [_named("row", [str(row) for row in _ranges(self.rows)]), _named("column", list(self.columns))]
        found = [part for part in parts if part]
        return f"(Hidden in the file: {', '.join(found)}.)" if found else ""


@dataclass(frozen=True)
class Sheet:
    """A sheet as it is displayed; `texts` stand beside its cells: those of shapes."""

    name: str
    cells: Cells
    merges: Sequence[Merge] = ()
    hidden: Hidden = Hidden()
    texts: Sequence[str] = ()


@dataclass(frozen=True)
class _Table:
    title: list[Row]
    header: Row
    rows: list[Row]


def workbook_blocks(sheets: Iterable[Sheet]) -> tuple[tuple[Block, ...], int]:
    """Return the blocks of all sheets and how many tables they hold; page numbers are the sheets' places."""
    blocks: list[Block] = []
    tables = 0
    for page, sheet in enumerate(sheets, start=1):
        found, count = sheet_blocks(sheet, page)
        blocks += found
        tables += count
    return tuple(blocks), tables


def uncalculated(formulas: int) -> tuple[str, ...]:
    """Return the warning about formulas without a stored result: programs that write sheets do not calculate them."""
    if not formulas:
        return ()
    subject = "1 formula has" if formulas == 1 else f"{formulas:,} formulas have"
    advice = "Open the file in a spreadsheet program, save it, and add it again to have the results."
    return (f"{subject} no stored result, so the formula itself was read. {advice}",)


def sheet_blocks(sheet: Sheet, page: int) -> tuple[list[Block], int]:
    """Return a sheet's heading and tables, and the number of tables; nothing for a sheet without text."""
    spread(sheet.cells, sheet.merges)
    found = list(_tables(_regions(sheet.cells)))
    if not found and not sheet.texts:
        return [], 0
    name = sheet.name.strip() or f"Sheet {page}"
    blocks = [Block(f"{name} (hidden sheet)" if sheet.hidden.sheet else name, page, 1)]
    note = sheet.hidden.note()
    if note:
        blocks.append(Block(note, page))
    for table in found:
        blocks += table_blocks((), table.title, page)
        blocks += table_blocks(table.header, table.rows, page)
    blocks += (Block(text, page) for text in sheet.texts)
    return blocks, sum(_is_grid(table) for table in found)


def spread(cells: Cells, merges: Iterable[Merge]) -> None:
    """Tie the text of merged cells to each row that they cover; rows with nothing else stay empty."""
    numbers = sorted(cells)
    for merge in merges:
        text = cells.get(merge.top, {}).get(merge.left)
        if text is None:
            continue
        for number in numbers[bisect_right(numbers, merge.top) : bisect_right(numbers, merge.bottom)]:
            cells[number].setdefault(merge.left, text)


def _regions(cells: Cells) -> Iterator[list[Row]]:
    """Yield the rows between empty ones; columns that no row uses are left out, others keep their place."""
    used = sorted({column for row in cells.values() for column in row})
    places = {column: place for place, column in enumerate(used)}
    numbers = sorted(cells)
    region: list[Row] = []
    for number, following in pairwise([*numbers, 0]):
        region.append(_row(cells[number], places))
        if following != number + 1:
            yield region
            region = []


def _row(cells: Mapping[int, str], places: Mapping[int, int]) -> Row:
    row = [""] * (places[max(cells)] + 1)
    for column, text in cells.items():
        row[places[column]] = text
    return row


def _tables(regions: Iterable[list[Row]]) -> Iterator[_Table]:
    """Put regions together into tables: an empty row ends a table only if a header of another follows."""
    table: _Table | None = None
    for region in regions:
        index = header_index(region)
        if table is not None and not _begins_another(table, region, index):
            table.rows.extend(region)
            continue
        if table is not None:
            yield table
        table = _Table([], [], region) if index is None else _Table(region[:index], region[index], region[index + 1 :])
    if table is not None:
        yield table


def _begins_another(table: _Table, region: list[Row], index: int | None) -> bool:
    """Tell whether a region is a table of its own, not the next stretch of the one before.

    A lone row is a title or a sum. A first row of words over columns of figures is a header; one of words over words
    may be just another row of a table as wide.
    """
    if not table.header:
        return index is not None or len(region) > 1
    if index is None:
        return False
    header = region[index]
    other_columns = {place for place, text in enumerate(header) if text} != {
        place for place, text in enumerate(table.header) if text
    }
    return other_columns or stands_over_figures(header, region[index + 1 :])


def _is_grid(table: _Table) -> bool:
    """Tell a table from a line or a column of notes."""
    return bool(table.header) or sum(len(row) > 1 for row in table.rows) > 1


def _ranges(numbers: Sequence[int]) -> list[str]:
    """Return numbers in ascending order as '3' and '5–7'."""
    found: list[str] = []
    begin = None
    for number, following in pairwise([*numbers, -1]):
        begin = number if begin is None else begin
        if following != number + 1:
            found.append(f"{begin}–{number}" if number > begin else str(number))
            begin = None
    return found


def _named(kind: str, ranges: list[str]) -> str:
    if not ranges:
        return ""
    if len(ranges) > MOST_RANGES:
        return f"{kind}s {', '.join(ranges[:MOST_RANGES])} and more"
    several = len(ranges) > 1 or "–" in ranges[0]
    return f"{kind}{'s' if several else ''} {', '.join(ranges)}"
