"""Reads old Excel workbooks (.xls): what the cells display, sheet by sheet."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Context, Extraction, ExtractionError, Report
from projects.intake.extract.ooxml_password import opened_if_locked
from projects.intake.extract.sheets import Cells, Hidden, Merge, Sheet, workbook_blocks
from projects.intake.extract.sheets_display import Value, displayed
from projects.intake.extract.sniff import XLS

DAMAGED = "The Excel workbook (.xls) is damaged: it does not open. Save it anew as .xlsx and add it again."

# What xlrd stumbles over in a broken workbook, besides its own errors.
_BROKEN = (struct.error, LookupError, ValueError, TypeError, AttributeError, AssertionError, EOFError, OSError)


def extract(path: Path, context: Context) -> Extraction:
    """Read all sheets, hidden ones too; formulas give the values stored with them."""
    with opened_if_locked(path, context) as opened:
        return _read(opened, context)


def _read(path: Path, context: Context) -> Extraction:
    from xlrd import XLRDError
    from xlrd.compdoc import CompDocError

    comments: list[str] = []
    try:
        sheets = list(_sheets(path, context, comments))
    except (XLRDError, CompDocError, *_BROKEN) as error:
        raise ExtractionError(DAMAGED) from error
    blocks, tables = workbook_blocks(sheets)
    return Extraction(XLS, blocks, len(sheets), report=Report(tables=tables, left_out=tuple(comments)))


def _sheets(path: Path, context: Context, comments: list[str]) -> Iterator[Sheet]:
    """Yield the sheets; `comments` gets a sentence if there are any."""
    import xlrd

    # What xlrd has to say of a file, it would print. Without the formatting it knows neither formats nor merged cells.
    with xlrd.open_workbook(str(path), logfile=io.StringIO(), formatting_info=True, on_demand=True) as book:
        for number in range(book.nsheets):
            sheet = book.sheet_by_index(number)
            merges = [Merge(top + 1, left + 1, bottom) for top, bottom, left, _ in sheet.merged_cells]
            if sheet.cell_note_map and not comments:
                comments.append("Comments were left out.")
            yield Sheet(sheet.name, _cells(book, sheet), merges, _hidden(sheet))
            book.unload_sheet(number)
            context.progress(number + 1, book.nsheets)


def _cells(book: Any, sheet: Any) -> Cells:
    cells: Cells = {}
    for number in range(sheet.nrows):
        found = {place + 1: text for place, cell in enumerate(sheet.row(number)) if (text := _text(book, cell))}
        if found:
            cells[number + 1] = found
    return cells


def _text(book: Any, cell: Any) -> str:
    number_format = book.format_map[book.xf_list[cell.xf_index].format_key].format_str
    return displayed(_value(book, cell, number_format), number_format).strip()


def _value(book: Any, cell: Any, number_format: str) -> Value:
    import xlrd

    match cell.ctype:
        case xlrd.XL_CELL_EMPTY | xlrd.XL_CELL_BLANK:
            return None
        case xlrd.XL_CELL_BOOLEAN:
            return bool(cell.value)
        case xlrd.XL_CELL_ERROR:
            return str(xlrd.error_text_from_code.get(cell.value, "#ERROR!"))
        case xlrd.XL_CELL_DATE:
            return _moment(float(cell.value), book.datemode, number_format)
        case xlrd.XL_CELL_NUMBER:
            return float(cell.value)
        case _:
            return str(cell.value)


def _moment(days: float, mode: int, number_format: str) -> Value:
    """Return a date from the days that it is stored as; what lies beyond the calendar stays a number."""
    from xlrd.xldate import xldate_as_datetime

    if "[h" in number_format.lower():
        return timedelta(days=days)
    try:
        moment: datetime = xldate_as_datetime(days, mode)
    except (ValueError, OverflowError):
        return days
    return moment.time() if 0 <= days < 1 else moment


def _hidden(sheet: Any) -> Hidden:
    from openpyxl.utils.cell import get_column_letter

    rows = sorted(number + 1 for number, info in sheet.rowinfo_map.items() if info.hidden)
    columns = [get_column_letter(place + 1) for place, info in sorted(sheet.colinfo_map.items()) if info.hidden]
    return Hidden(bool(sheet.visibility), rows, columns)
