"""Old Excel workbooks: the same sight of their cells as of new ones."""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

import pytest

from projects.intake.extract import ExtractionError
from projects.intake.extract.base import Extraction
from projects.intake.extract.xls import extract
from tests.cfb import compound
from tests.office import read, texts, xls


@pytest.fixture
def sheet_read(tmp_path: Path) -> Any:
    """Return a function that reads a workbook of one sheet, which is filled with xlwt's Worksheet."""

    def read_sheet(fill: Any) -> Extraction:
        return read(extract, xls(lambda workbook: fill(workbook.add_sheet("Mieten"))), tmp_path)

    return read_sheet


def test_values_are_read_as_they_are_displayed(sheet_read: Any) -> None:
    import xlwt

    def fill(sheet: Any) -> None:
        shown = [
            ("Größe €", "General"),
            (date(2023, 3, 15), "DD.MM.YYYY"),
            (1234.5, "#,##0.00 [$€-407]"),
            (0.125, "0.0%"),
            (14.5 / 24, "h:mm"),
            (1.5, "[h]:mm"),
            (True, "General"),
            (12, "General"),
        ]
        for column, (value, number_format) in enumerate(shown):
            sheet.write(0, column, value, xlwt.easyxf(num_format_str=number_format))

    found = sheet_read(fill)

    assert [(block.page, block.level, block.text) for block in found.blocks] == [
        (1, 1, "Mieten"),
        (1, 0, "Größe € | 2023-03-15 | 1,234.50 € | 12.5% | 14:30 | 36:00 | TRUE | 12"),
    ]
    assert found.pages == 1


def test_the_value_of_merged_cells_stands_in_each_of_their_rows(sheet_read: Any) -> None:
    def fill(sheet: Any) -> None:
        sheet.write(0, 0, "Region")
        sheet.write(0, 1, "Month")
        sheet.write_merge(1, 2, 0, 0, "North")
        sheet.write(1, 1, "May")
        sheet.write(2, 1, "June")

    assert texts(sheet_read(fill)) == ["Region | Month\nNorth | May\nNorth | June"]


def test_hidden_rows_columns_and_sheets_are_read_and_named(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.add_sheet("Costs")
        for number in range(3):
            sheet.write(number, 0, f"row {number + 1}")
        sheet.row(1).hidden = True
        sheet.col(0).hidden = True
        secret = workbook.add_sheet("Secret")
        secret.write(0, 0, "margin")
        secret.visibility = 2

    assert [block.text for block in read(extract, xls(build), tmp_path).blocks] == [
        "Costs",
        "(Hidden in the file: row 2, column A.)",
        "row 1\nrow 2\nrow 3",
        "Secret (hidden sheet)",
        "margin",
    ]


@pytest.mark.parametrize(
    "content",
    [
        xls(lambda workbook: workbook.add_sheet("a").write(0, 0, "x"))[:1500],
        compound({"Workbook": b"\x09\x08\x10\x00broken"}),
    ],
    ids=["cut off", "broken records"],
)
def test_a_damaged_workbook_says_so(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ExtractionError, match=r"The Excel workbook \(.xls\) is damaged: it does not open"):
        read(extract, content, tmp_path)
