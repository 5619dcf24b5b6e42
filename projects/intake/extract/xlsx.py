"""Reads Excel workbooks (.xlsx): what the cells display, sheet by sheet."""

from __future__ import annotations

import warnings
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Context, Extraction, ExtractionError, Report, clean
from projects.intake.extract.ooxml import left_out
from projects.intake.extract.ooxml_package import opened
from projects.intake.extract.ooxml_sheets import SheetFacts, facts_of, shape_texts, sheet_parts
from projects.intake.extract.packed import unpacking
from projects.intake.extract.sheets import Cells, Hidden, Sheet, uncalculated, workbook_blocks
from projects.intake.extract.sheets_display import displayed
from projects.intake.extract.sniff import XLSX

DAMAGED = "The Excel workbook is damaged: it does not open. Save it anew in a spreadsheet program and add it again."

# What openpyxl stumbles over in a broken workbook: it checks little before it goes on.
_BROKEN = (SyntaxError, KeyError, ValueError, TypeError, IndexError, AttributeError)


def extract(path: Path, context: Context) -> Extraction:
    """Read all sheets, hidden ones too; a formula's value is what the program that saved the file stored with it."""
    formulas = 0
    sheets = []
    with opened(path, context) as package, unpacking(package.path) as archive:
        for sheet, without_result in _sheets(package.path, archive, context):
            sheets.append(sheet)
            formulas += without_result
        blocks, tables = workbook_blocks(sheets)
        report = Report(tables=tables, left_out=left_out(package.parts))
    return Extraction(XLSX, blocks, len(sheets), uncalculated(formulas), report)


def _sheets(path: Path, archive: zipfile.ZipFile, context: Context) -> Iterator[tuple[Sheet, int]]:
    """Yield the sheets, each with the number of its formulas that have no stored value."""
    # openpyxl warns of parts that it does not keep, which is for those who save.
    with path.open("rb") as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            workbook, parts = _open(file), sheet_parts(archive)
            for done, sheet in enumerate(workbook.worksheets, start=1):
                facts = facts_of(archive, parts[sheet.title])
                hidden = Hidden(sheet.sheet_state != "visible", facts.hidden_rows, facts.hidden_columns)
                texts = tuple(clean(text) for text in shape_texts(archive, parts[sheet.title]))
                yield Sheet(sheet.title, _cells(sheet, facts), facts.merges, hidden, texts), len(facts.formulas)
                context.progress(done, len(workbook.worksheets))
        except _BROKEN as error:
            raise ExtractionError(DAMAGED) from error


def _open(file: Any) -> Any:
    import openpyxl

    # As a stream: otherwise the file's name would decide whether it is opened.
    return openpyxl.load_workbook(file, read_only=True, data_only=True, keep_links=False)


def _cells(sheet: Any, facts: SheetFacts) -> Cells:
    """Return what the cells of a sheet display; the size that a sheet declares is often wrong and never asked."""
    sheet.reset_dimensions()
    cells: Cells = {}
    for number, row in enumerate(sheet.iter_rows(), start=1):
        found = {cell.column: text for cell in row if cell.value is not None and (text := _text(cell))}
        if found:
            cells[number] = found
    for (number, column), formula in facts.formulas.items():
        cells.setdefault(number, {}).setdefault(column, formula)
    return cells


def _text(cell: Any) -> str:
    return displayed(cell.value, cell.number_format or "General").strip()
