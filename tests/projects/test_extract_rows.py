"""Tables as text: every row on its line, every block with the names of its columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.chunking import CHUNK_LIMIT
from projects.intake.extract.rows import BLOCK_LIMIT, header_index, row_text, table_blocks

cells = st.text(alphabet="ab1 ", max_size=30)
tables = st.lists(st.lists(cells, max_size=6), max_size=60)


def test_a_short_table_is_one_block_with_its_header_first() -> None:
    blocks = list(table_blocks(["Item", "Price"], [["Lamp", "12,50"], ["Desk", "1.200,00"]], page=3))

    assert [(block.page, block.text) for block in blocks] == [(3, "Item | Price\nLamp | 12,50\nDesk | 1.200,00")]


def test_every_block_of_a_long_table_names_the_columns_and_fits_into_a_chunk() -> None:
    blocks = list(table_blocks(["Number", "Tenant"], [[str(n), "Lovelace"] for n in range(500)]))

    assert len(blocks) > 5
    assert {block.text.split("\n")[0] for block in blocks} == {"Number | Tenant"}
    assert max(len(block.text) for block in blocks) <= BLOCK_LIMIT <= CHUNK_LIMIT


def test_a_wide_header_is_not_most_of_what_is_read() -> None:
    header = [f"column number {n}" for n in range(100)]

    text = [block.text for block in table_blocks(header, [["x" * 40]] * 500)]

    assert sum(block.count("column number 99") for block in text) * len(row_text(header)) < sum(map(len, text)) / 2


def test_empty_cells_keep_their_place_and_empty_rows_go() -> None:
    blocks = list(table_blocks([], [["a", "", "c", ""], ["", ""], ["two\nlines"]]))

    assert [block.text for block in blocks] == ["a |  | c\ntwo lines"]


@given(tables)
def test_no_row_with_text_is_lost_and_order_is_kept(rows: list[list[str]]) -> None:
    lines = [line for block in table_blocks(["h"], rows) for line in block.text.split("\n") if line != "h"]

    assert lines == [row_text(row) for row in rows if row_text(row)]


@pytest.mark.parametrize(
    ("rows", "index"),
    [
        ([["Name", "Rent"], ["Ada", "900"]], 0),
        ([["Statement of March"], ["Date", "Amount"], ["01.03.2024", "-12,50 €"], ["02.03.2024", "7"]], 1),
        ([["Item", "2023", "2024"], ["Rent", "900", "950"]], 0),
        ([["1", "2"], ["3", "4"]], None),
        ([["01.03.2024", "-12,50"], ["02.03.2024", "7,00"]], None),
        ([["Ada", "Ada"], ["Bob", "Bob"]], None),
        ([["one column"], ["of lines"]], None),
        ([["only", "one row"]], None),
        ([], None),
    ],
    ids=["first", "below-title", "years", "figures", "dates", "same-twice", "one-column", "one-row", "nothing"],
)
def test_the_row_that_names_the_columns_is_found(rows: list[list[str]], index: int | None) -> None:
    assert header_index(rows) == index
