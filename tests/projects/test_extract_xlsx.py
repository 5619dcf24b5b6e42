"""Excel workbooks: what a person sees in the cells is what is read, row by row."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from datetime import time as clock
from io import BytesIO
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects.intake.chunking import chunks_of
from projects.intake.extract import ExtractionError
from projects.intake.extract.xlsx import extract
from projects.intake.sections import sections_of
from tests.office import edited, read, texts, xlsx

SHEET = "xl/worksheets/sheet1.xml"


def rows_of(*rows: Sequence[Any]) -> Any:
    """Return a builder of one sheet with these rows."""

    def build(workbook: Any) -> None:
        for row in rows:
            workbook.active.append(row)

    return build


def test_a_sheet_is_a_page_with_a_heading_and_rows(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        workbook.active.title = "Mieten"
        workbook.active.append(["Mieter", "Miete"])
        workbook.active.append(["Müller", 900])
        workbook.create_sheet("Leer")
        workbook.create_sheet("Kosten").append(["Strom", 80.5])

    found = read(extract, xlsx(build), tmp_path)

    assert [(block.page, block.level, block.text) for block in found.blocks] == [
        (1, 1, "Mieten"),
        (1, 0, "Mieter | Miete\nMüller | 900"),
        (3, 1, "Kosten"),
        (3, 0, "Strom | 80.5"),
    ]
    assert (found.pages, found.report.tables) == (3, 1)


@pytest.mark.parametrize(
    ("value", "number_format", "shown"),
    [
        (date(2023, 3, 15), "DD.MM.YYYY", "2023-03-15"),
        (date(2023, 3, 15), "mm-dd-yy", "2023-03-15"),
        (datetime.fromisoformat("2023-03-15T14:30"), "d/m/yy h:mm", "2023-03-15 14:30"),
        (date(2023, 3, 15), "mmm yyyy", "2023-03"),
        (clock(14, 30), "h:mm AM/PM", "14:30"),
        (clock(14, 30, 5), "h:mm:ss", "14:30:05"),
        (timedelta(hours=36, minutes=5), "[h]:mm", "36:05"),
        (0.125, "0.0%", "12.5%"),
        (1234.5, "#,##0.00 [$€-407]", "1,234.50 €"),
        (-1234.5, '"$"#,##0.00_);("$"#,##0.00)', "($1,234.50)"),
        (0, '_-* #,##0.00\\ "€"_-;-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', "- €"),
        (2.675, "0.00", "2.68"),
        (7, "00000", "00007"),
        (123456789, "000-00-0000", "123-45-6789"),
        (1234567, '0.0,,"M"', "1.2M"),
        (0.1 + 0.2, "General", "0.3"),
        (4006381333931, "General", "4006381333931"),
        (True, "General", "TRUE"),
        ("00420", "@", "00420"),
        (5, ";;;", "5"),
    ],
)
def test_values_are_read_as_they_are_displayed(tmp_path: Path, value: Any, number_format: str, shown: str) -> None:
    def build(workbook: Any) -> None:
        workbook.active["A1"] = value
        workbook.active["A1"].number_format = number_format

    assert texts(read(extract, xlsx(build), tmp_path)) == [shown]


def test_a_formula_gives_its_stored_value_and_without_one_itself_and_keeps_its_row(tmp_path: Path) -> None:
    plain = xlsx(rows_of(["Lamp", 12.5], ["Desk", 100], ["Sum", "=SUM(B1:B2)"], ["Twice", "=2*B3"]))
    stored = edited(
        plain, {SHEET: lambda xml: re.sub(rb"(<f>SUM\(B1:B2\)</f>)<v ?(?:/>|></v>)", rb"\1<v>112.5</v>", xml)}
    )

    found = read(extract, stored, tmp_path)

    assert texts(found) == ["Lamp | 12.5\nDesk | 100\nSum | 112.5\nTwice | =2*B3"]
    assert found.warnings[0].startswith("1 formula has no stored result, so the formula itself was read.")


def test_a_shared_formula_without_values_is_written_out_for_each_row(tmp_path: Path) -> None:
    plain = xlsx(rows_of([1, "=A1*2"], [2, "=MARK"]))
    shared = edited(
        plain,
        {
            SHEET: lambda xml: xml.replace(b"<f>A1*2</f>", b'<f t="shared" ref="B1:B2" si="0">A1*2</f>').replace(
                b"<f>MARK</f>", b'<f t="shared" si="0"/>'
            )
        },
    )

    assert texts(read(extract, shared, tmp_path)) == ["1 | =A1*2\n2 | =A2*2"]


def test_the_value_of_merged_cells_stands_in_each_of_their_rows(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        for row in (["Region", "Date"], ["North", date(2023, 3, 15)], [None, date(2023, 3, 16)], ["South", 1]):
            sheet.append(row)
        sheet.merge_cells("A2:A3")
        sheet.merge_cells("A4:A5")

    to_the_end = edited(xlsx(build), {SHEET: lambda xml: xml.replace(b"A4:A5", b"A4:A1048576")})

    assert texts(read(extract, to_the_end, tmp_path)) == [
        "Region | Date\nNorth | 2023-03-15\nNorth | 2023-03-16\nSouth | 1"
    ]


def test_hidden_sheets_rows_and_columns_are_read_and_named(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        sheet.title = "Costs"
        for number in range(1, 6):
            sheet.append([f"row {number}", number])
        for number in (2, 3, 5):
            sheet.row_dimensions[number].hidden = True
        sheet.column_dimensions["B"].hidden = True
        secret = workbook.create_sheet("Secret")
        secret.append(["margin", 0.4])
        secret.sheet_state = "veryHidden"

    found = read(extract, xlsx(build), tmp_path)

    assert [block.text for block in found.blocks] == [
        "Costs",
        "(Hidden in the file: rows 2–3, 5, column B.)",
        "row 1 | 1\nrow 2 | 2\nrow 3 | 3\nrow 4 | 4\nrow 5 | 5",
        "Secret (hidden sheet)",
        "margin | 0.4",
    ]


def test_empty_cells_keep_columns_apart_and_unused_columns_go(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        sheet = workbook.active
        sheet["B2"], sheet["D2"], sheet["XFD2"] = "a", "c", "end"
        sheet["C3"] = "b"

    assert texts(read(extract, xlsx(build), tmp_path)) == ["a |  | c | end\n | b"]


def test_row_500_still_names_its_columns_in_its_chunk(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        workbook.active.append(["Rent roll of the year"])
        workbook.active.append([])
        workbook.active.append(["Number", "Tenant", "Rent"])
        for number in range(1, 601):
            workbook.active.append([number, f"Tenant {number}", 500 + number])

    found = read(extract, xlsx(build), tmp_path)
    chunk = next(chunk.text for chunk in chunks_of(sections_of(found.blocks)) if "Tenant 500 |" in chunk.text)

    assert "Number | Tenant | Rent" in chunk


def test_two_tables_on_a_sheet_keep_their_own_headers(tmp_path: Path) -> None:
    incomes: list[list[Any]] = [["Month", "Income"], *([f"month {number}", number * 1000] for number in range(60))]
    costs: list[list[Any]] = [["Kind", "Costs", "Paid"], *([f"kind {number}", number, "yes"] for number in range(60))]

    found = read(extract, xlsx(rows_of(*incomes, [], *costs)), tmp_path)

    assert {text.split("\n")[0] for text in texts(found)} == {"Month | Income", "Kind | Costs | Paid"}
    assert found.report.tables == 2


def test_a_sheet_that_declares_a_million_rows_is_read_in_no_time(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        workbook.active["A1"], workbook.active["A2"], workbook.active["B1048576"] = "first", "second", "last"

    declared = edited(xlsx(build), {SHEET: lambda xml: re.sub(rb'ref="A1:B1048576"', b'ref="A1:XFD1048576"', xml)})
    begin = time.perf_counter()

    assert texts(read(extract, declared, tmp_path)) == ["first\nsecond\n | last"]
    assert time.perf_counter() - begin < 5


def test_text_boxes_are_read_and_pictures_comments_and_macros_named(tmp_path: Path) -> None:
    def build(workbook: Any) -> None:
        from openpyxl.comments import Comment

        workbook.active["A1"] = "cell"
        workbook.active["A1"].comment = Comment("a remark", "Ada")

    drawing = (
        b'<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
        b'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><xdr:sp><xdr:txBody>'
        b"<a:p><a:r><a:t>All figures in </a:t></a:r><a:r><a:t>euros</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:wsDr>"
    )
    relation = (
        b'<Relationship Id="rDraw" Target="../drawings/drawing9.xml" '
        b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/drawing"/></Relationships>'
    )
    added = {
        "xl/drawings/drawing9.xml": lambda _: drawing,
        "xl/media/image1.png": lambda _: b"x",
        "xl/vbaProject.bin": lambda _: b"x",
        "xl/worksheets/_rels/sheet1.xml.rels": lambda xml: xml.replace(b"</Relationships>", relation),
    }

    found = read(extract, edited(xlsx(build), added), tmp_path)

    assert texts(found) == ["cell", "All figures in euros"]
    assert found.report.left_out == ("1 picture was left out.", "Comments were left out.", "Macros were left out.")


def test_right_to_left_text_emoji_and_accents_come_composed(tmp_path: Path) -> None:
    found = read(extract, xlsx(rows_of(["عقد الإيجار", "😀", "Mu\u0308ller"])), tmp_path)

    assert texts(found) == ["عقد الإيجار | 😀 | Müller"]


@pytest.mark.parametrize(
    "part",
    ["xl/workbook.xml", "xl/styles.xml", SHEET, "[Content_Types].xml"],
    ids=["workbook", "styles", "sheet", "types"],
)
def test_a_damaged_workbook_says_so(tmp_path: Path, part: str) -> None:
    broken = edited(xlsx(rows_of(["a", "b"], ["c", "d"])), {part: lambda xml: xml[: len(xml) // 2]})

    with pytest.raises(ExtractionError, match="The Excel workbook is damaged: it does not open"):
        read(extract, broken, tmp_path)


def test_a_workbook_that_declares_entities_is_not_opened(tmp_path: Path) -> None:
    lines = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10 if n else b"ha") for n in range(12))
    strings = b"<!DOCTYPE sst [" + lines + b"%s]><sst><si><t>&e11;</t></si></sst>"
    bomb = edited(xlsx(rows_of(["a"])), {"xl/sharedStrings.xml": lambda _: strings})
    begin = time.perf_counter()

    with pytest.raises(ExtractionError, match="declares XML entities"):
        read(extract, bomb, tmp_path)
    assert time.perf_counter() - begin < 2


printable = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.lists(printable.filter(lambda text: text[0] not in "=#"), min_size=2, max_size=4), min_size=1, max_size=8
    )
)
def test_every_cell_of_any_table_is_found_again_in_order(tmp_path: Path, rows: list[list[str]]) -> None:
    from unicodedata import normalize

    from projects.intake.extract.rows import CELL_GAP

    workbook = openpyxl.Workbook()
    for number, row in enumerate(rows, start=1):
        for column, text in enumerate(row, start=1):
            cell = workbook.active.cell(number, column)
            cell.value, cell.data_type = text, "s"
    buffer = BytesIO()
    workbook.save(buffer)

    lines = "\n".join(texts(read(extract, buffer.getvalue(), tmp_path))).split("\n")

    assert lines == [CELL_GAP.join(normalize("NFC", text) for text in row) for row in rows]
