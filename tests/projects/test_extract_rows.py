"""Tables as text: every row on its line, every block with the names of its columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.chunking import PIECE_LIMIT, chunks_of
from projects.intake.extract import Block
from projects.intake.extract.rows import BLOCK_LIMIT, header_index, row_text, table_blocks
from projects.intake.sections import sections_of

cells = st.text(alphabet="ab1 ", max_size=30)
tables = st.lists(st.lists(cells, max_size=6), max_size=60)


def test_a_short_table_is_one_block_with_its_header_first() -> None:
    blocks = list(table_blocks(["Item", "Price"], [["Lamp", "12,50"], ["Desk", "1.200,00"]], page=3))

    assert [(block.page, block.text) for block in blocks] == [(3, "Item | Price\nLamp | 12,50\nDesk | 1.200,00")]


@given(st.integers(0, 40), st.integers(1, 12))
def test_every_chunk_of_a_long_table_names_the_columns_whatever_stands_before_it(words: int, columns: int) -> None:
    header = [f"Column {number}" for number in range(columns)]
    rows = [[f"{row} and {column}" for column in range(columns)] for row in range(80)]
    before = [Block("We list them here. " * words)] if words else []

    chunks = chunks_of(sections_of([*before, *table_blocks(header, rows)]))

    assert all(row_text(header) in chunk.text for chunk in chunks if " and 0" in chunk.text)
    assert sum(chunk.text.count(" and 0") for chunk in chunks) == 80


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


def test_a_block_of_rows_is_of_a_size_that_is_never_cut() -> None:
    assert BLOCK_LIMIT * 4 <= PIECE_LIMIT * 3
