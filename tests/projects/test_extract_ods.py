"""OpenDocument sheets: what the cells display, row by row."""

from __future__ import annotations

import time
from pathlib import Path
from unicodedata import normalize
from xml.sax.saxutils import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects.intake.extract import ExtractionError
from projects.intake.extract.base import Extraction
from projects.intake.extract.ods import MOST_REPEATED, extract
from projects.intake.extract.rows import CELL_GAP
from tests.office import opendocument, packed, read, texts


def cell(text: str = "", attributes: str = "") -> str:
    shown = f"<text:p>{text}</text:p>" if text else ""
    return f"<table:table-cell {attributes}>{shown}</table:table-cell>"


def row(*cells: str, attributes: str = "") -> str:
    return f"<table:table-row {attributes}>{''.join(cells)}</table:table-row>"


def table(*rows: str, name: str = "Sheet1", style: str = "") -> str:
    return f'<table:table table:name="{name}" table:style-name="{style}">{"".join(rows)}</table:table>'


def found_in(folder: Path, *tables: str, styles: str = "") -> Extraction:
    return read(extract, opendocument("spreadsheet", "".join(tables), styles), folder)


def test_a_sheet_is_a_page_with_what_its_cells_display(tmp_path: Path) -> None:
    values = row(
        cell("Größe 😀", 'office:value-type="string"'),
        cell("15.03.23", 'office:value-type="date" office:date-value="2023-03-15"'),
        cell("15.03.23 14:30", 'office:value-type="date" office:date-value="2023-03-15T14:30:00"'),
        cell("1.234,50 €", 'office:value-type="currency" office:value="1234.5"'),
        cell("12,5 %", 'office:value-type="percentage" office:value="0.125"'),
        cell("", 'office:value-type="float" office:value="7"'),
    )

    found = found_in(tmp_path, table(name="leer"), table(values, name="Mieten"))

    assert [(block.page, block.level, block.text) for block in found.blocks] == [
        (2, 1, "Mieten"),
        (2, 0, "Größe 😀 | 2023-03-15 | 2023-03-15 14:30 | 1.234,50 € | 12,5 % | 7"),
    ]
    assert found.pages == 2


def test_a_formula_without_a_result_is_read_itself(tmp_path: Path) -> None:
    formula = 'table:formula="of:=SUM([.A1:.B1];[$Costs.A2])"'

    found = found_in(
        tmp_path, table(row(cell("Sum"), cell("", formula)), row(cell("12", f'office:value-type="float" {formula}')))
    )

    assert texts(found) == ["Sum | =SUM(A1:B1;$Costs.A2)\n12"]
    assert found.warnings[0].startswith("1 formula has no stored result")


def test_the_value_of_merged_cells_stands_in_each_of_their_rows(tmp_path: Path) -> None:
    rows = (
        row(cell("North", 'table:number-rows-spanned="2"'), cell("May")),
        row("<table:covered-table-cell/>", cell("June")),
        row(cell("South"), cell("May")),
    )

    assert texts(found_in(tmp_path, table(*rows))) == ["North | May\nNorth | June\nSouth | May"]


def test_rows_and_cells_that_repeat_are_written_out_but_not_a_million_times(tmp_path: Path) -> None:
    rows = (
        row(cell("a", 'table:number-columns-repeated="3"'), cell("", 'table:number-columns-repeated="16381"')),
        row(cell("twice"), attributes='table:number-rows-repeated="2"'),
        row(cell(), attributes='table:number-rows-repeated="500000"'),
        row(cell("filler"), attributes='table:number-rows-repeated="1000000"'),
        row(cell("end")),
    )
    begin = time.perf_counter()

    found = found_in(tmp_path, table(*rows))
    lines = "\n".join(texts(found)).split("\n")

    assert lines[:3] == ["a | a | a", "twice", "twice"]
    assert lines.count("filler") == MOST_REPEATED
    assert lines[-1] == "end"
    assert found.report.left_out == ("Of long stretches of equal rows or cells, 999,000 were left out.",)
    assert time.perf_counter() - begin < 2


def test_hidden_sheets_and_rows_are_read_and_named(tmp_path: Path) -> None:
    hidden = (
        '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/>'
        "</style:style>"
    )
    rows = (row(cell("seen")), row(cell("filtered"), attributes='table:visibility="filter"'))

    found = found_in(tmp_path, table(*rows), table(row(cell("margin")), name="Secret", style="ta1"), styles=hidden)

    assert [block.text for block in found.blocks] == [
        "Sheet1",
        "(Hidden in the file: row 2.)",
        "seen\nfiltered",
        "Secret (hidden sheet)",
        "margin",
    ]


def test_comments_are_left_out_and_named_and_shapes_read(tmp_path: Path) -> None:
    remark = "<office:annotation><text:p>a remark</text:p></office:annotation>"
    noted = f"<table:table-cell>{remark}<text:p>shown</text:p></table:table-cell>"
    box = "<draw:frame><draw:text-box><text:p>in a box</text:p></draw:text-box></draw:frame>"
    shapes = f"<table:shapes>{box}</table:shapes>"

    found = found_in(tmp_path, table(shapes, row(noted)))

    assert texts(found) == ["shown", "in a box"]
    assert found.report.left_out == ("Comments were left out.",)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (opendocument("spreadsheet", "<table:table>"), "The OpenDocument file is damaged"),
        (packed({"mimetype": "application/vnd.oasis.opendocument.spreadsheet"}), "The OpenDocument file is damaged"),
        (opendocument("spreadsheet", "x" * 9_000)[:400], "a packed file that does not open"),
    ],
    ids=["broken XML", "no content", "cut off"],
)
def test_a_damaged_file_says_so(tmp_path: Path, content: bytes, sentence: str) -> None:
    with pytest.raises(ExtractionError, match=sentence):
        read(extract, content, tmp_path)


words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(words, min_size=2, max_size=4), min_size=1, max_size=8))
def test_every_cell_of_any_table_is_found_again_in_order(tmp_path: Path, rows: list[list[str]]) -> None:
    found = found_in(tmp_path, table(*(row(*map(cell, map(escape, cells))) for cells in rows)))

    assert "\n".join(texts(found)).split("\n") == [
        CELL_GAP.join(normalize("NFC", text) for text in cells) for cells in rows
    ]
