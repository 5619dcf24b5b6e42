"""Tables kept as text: every cell in its column, every figure as written."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract import Context, extract
from projects.intake.extract.delimiters import find_delimiter


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read_bytes(content: bytes, name: str = "table.csv") -> Any:
        path = tmp_path / "stored"
        path.write_bytes(content)
        return extract(path, Context(name))

    return read_bytes


def text_of(found: Any) -> str:
    return "\n".join(block.text for block in found.blocks)


def test_semicolons_decimal_commas_and_umlauts_of_an_older_encoding_are_kept(read: Any) -> None:
    found = read("Name;Miete;Größe\nMüller;1.250,50;80,5\nStraße;900,00;64\n".encode("cp1252"))

    assert text_of(found) == "Name | Miete | Größe\nMüller | 1.250,50 | 80,5\nStraße | 900,00 | 64"
    assert (found.media_type, found.report.tables, found.warnings) == ("text/csv", 1, ())


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"], ids=["comma", "semicolon", "tab", "pipe"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
def test_every_delimiter_is_found_in_every_encoding(read: Any, delimiter: str, encoding: str) -> None:
    lines = "Name;Rent\nMüller;900\nŠek;950\n".replace(";", delimiter)

    assert text_of(read(lines.encode(encoding))) == "Name | Rent\nMüller | 900\nŠek | 950"


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"], ids=["unix", "windows", "old-mac"])
def test_line_ends_within_quotation_marks_are_part_of_a_cell(read: Any, ends: str) -> None:
    content = ends.join(["Name,Note", '"Ada","first line', 'second, and ""last"""', "Bob,none", ""])

    assert text_of(read(content.encode())) == 'Name | Note\nAda | first line second, and "last"\nBob | none'


def test_unusual_separators_of_lines_part_no_rows(read: Any) -> None:
    found = read("Name;Note\nAda;one\u2028two\nBob;\x0bthree\x85four\n".encode())

    assert text_of(found) == "Name | Note\nAda | one two\nBob | three four"


def test_ragged_rows_keep_all_their_cells(read: Any) -> None:
    found = read(b"a,b,c\n1,2\n1,2,3,4,5\n\n,,3\n1,2,3\n")

    assert text_of(found) == "a | b | c\n1 | 2\n1 | 2 | 3 | 4 | 5\n |  | 3\n1 | 2 | 3"


def test_a_title_above_the_header_is_kept_apart_from_it(read: Any) -> None:
    found = read(
        b"Statement of account 12345\nMarch 2024\n\nDate;Text;Amount\n01.03.2024;Rent;-900,00\n02.03.2024;Tea;-3,50\n"
    )

    assert [block.text for block in found.blocks] == [
        "Statement of account 12345\nMarch 2024",
        "Date | Text | Amount\n01.03.2024 | Rent | -900,00\n02.03.2024 | Tea | -3,50",
    ]


def test_each_block_of_a_long_table_names_the_columns(read: Any) -> None:
    found = read(b"Number,Tenant\n" + b"".join(b"%d,Lovelace\n" % number for number in range(2_000)))

    assert {block.text.split("\n")[0] for block in found.blocks} == {"Number | Tenant"}
    assert sum(block.text.count("Lovelace") for block in found.blocks) == 2_000


def test_the_delimiter_that_excel_writes_into_the_first_line_is_believed(read: Any) -> None:
    assert text_of(read(b"sep=|\r\na,b|c\r\nd,e|f\r\n")) == "a,b | c\nd,e | f"


def test_an_inch_sign_swallows_no_lines(read: Any) -> None:
    rows = b"".join(b"pipe %d;12\n" % number for number in range(300))

    found = read(b'Item;Price\n"5 inch;10\n' + rows)

    assert "pipe 299 | 12" in text_of(found)


def test_a_cell_of_any_length_is_read(read: Any) -> None:
    assert "x" * 200_000 in text_of(read(b"a;b\n1;" + b"x" * 200_000 + b"\n"))


@pytest.mark.parametrize(
    ("text", "delimiter"),
    [
        ("Name;Preis\nLampe;12,50\nTisch;3,00\n", ";"),
        ("1,5;2,5\n3,5;4,5\n", ";"),
        ("a\tb, c\nd\te, f\n", "\t"),
        ('"a;b",c\n"d;e",f\n', ","),
        ("one column\nof lines\n", ""),
        ("Dear Ada,\n\nthe rent, the deposit, and the key.\n\nYours\n", ""),
    ],
    ids=["decimal-commas", "commas-as-often", "tab", "quoted", "one-column", "letter"],
)
def test_the_delimiter_is_the_one_that_cuts_all_rows_alike(text: str, delimiter: str) -> None:
    assert find_delimiter(text) == delimiter


@given(
    st.lists(st.lists(st.text(alphabet='ab1,;"\n ', max_size=8), min_size=2, max_size=2), min_size=2, max_size=9),
    st.sampled_from(",;\t|"),
)
def test_what_a_program_wrote_is_read_back(rows: list[list[str]], delimiter: str) -> None:
    from projects.intake.extract.csv_table import _rows

    buffer = io.StringIO()
    csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)

    assert list(_rows(f"sep={delimiter}\n{buffer.getvalue()}")) == rows
