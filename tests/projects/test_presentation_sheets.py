"""Tests of a document's text as a page: every word is there, tables are tables, and what is sought is marked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.presentation.highlights import Run
from projects.presentation.quotes import Span
from projects.presentation.sheets import Piece, join_tables, lay_out, page_span, words_of


def words(runs: tuple[Run, ...]) -> str:
    return "".join(run.text for run in runs)


def table(piece: Piece) -> list[list[str]]:
    return [[words(cell) for cell in row] for row in piece.rows]


def everything(pieces: list[Piece]) -> str:
    return " ".join(words(piece.runs) + " ".join(words(cell) for row in piece.rows for cell in row) for piece in pieces)


@pytest.mark.parametrize(
    ("page", "expected"),
    [(3, None), (4, "One."), (5, ""), (6, "Three."), (7, None)],
)
def test_a_section_has_on_each_page_what_stands_there(page: int, expected: str | None) -> None:
    text = "One.\f\fThree."
    span = page_span(text, 4, page)
    assert (text[span.start : span.end] if span else None) == expected


def test_a_format_without_pages_shows_all_of_a_section() -> None:
    assert page_span("All of it.", None, None) == Span(0, 10)


def test_the_heading_is_set_apart_and_said_once() -> None:
    heading, text = lay_out("Rent\n\nNine hundred.", "Rent")
    assert heading.is_heading
    assert (words(heading.runs), words(text.runs)) == ("Rent", "Nine hundred.")


def test_lines_with_cells_are_a_table_between_paragraphs() -> None:
    before, cells, after = lay_out("Costs:\nItem | Amount\nHeating | 1,004.20\n\nDue in March.")
    assert words(before.runs) == "Costs:"
    assert table(cells) == [["Item", "Amount"], ["Heating", "1,004.20"]]
    assert words(after.runs) == "Due in March."


@pytest.mark.parametrize(
    ("line", "cells"),
    [
        ("a |  | b", ["a", "", "b"]),
        ("a | b |", ["a", "b", ""]),
        (" | a", ["", "a"]),
        ("| a | b", ["", "a", "b"]),
        ("a|b | c", ["a|b", "c"]),
    ],
    ids=["empty in the middle", "empty at the end", "empty first", "first without space", "stroke in a word"],
)
def test_empty_cells_keep_their_columns(line: str, cells: list[str]) -> None:
    (piece,) = lay_out(f"{line}\n{line}")
    assert table(piece) == [cells, cells]


def test_a_single_line_with_a_stroke_stays_a_line() -> None:
    (piece,) = lay_out("either | or\nas you like")
    assert words(piece.runs) == "either | or\nas you like"


def test_a_mark_may_lie_in_a_heading_a_paragraph_and_a_cell() -> None:
    text = "Rent\nsee below\na | b\nc | d"
    marked = [Span(0, 4), Span(9, 14), Span(15, 16), Span(25, 26)]
    found = [run.text for piece in lay_out(text, "Rent", marked) for run in runs_of(piece) if run.marked]
    assert found == ["Rent", "below", "a", "d"]


def test_a_mark_over_several_cells_is_in_each_of_them() -> None:
    (piece,) = lay_out("a | b\nc | d", marked=[Span(4, 7)])
    assert [run.text for run in runs_of(piece) if run.marked] == ["b", "c"]


def runs_of(piece: Piece) -> list[Run]:
    return [*piece.runs, *(run for row in piece.rows for cell in row for run in cell)]


def test_a_table_that_was_cut_is_one_again_under_its_header() -> None:
    text = "Item | Cost\nRent | 900\n\nItem | Cost\nWater | 40\n\nItem | Cost\nGas | 60\n\nOther | Cost\nTax | 1"
    one, other = join_tables(lay_out(text))
    assert words_of(one.header) == ["Item", "Cost"]
    assert table(one) == [["Rent", "900"], ["Water", "40"], ["Gas", "60"]]
    assert table(other) == [["Other", "Cost"], ["Tax", "1"]]


def test_a_mark_in_the_header_of_a_later_part_is_not_lost() -> None:
    text = "Item | Cost\nRent | 900\n\nItem | Cost\nWater | 40"
    (one,) = join_tables(lay_out(text, marked=[Span(24, 28)]))
    assert [run.text for cell in one.header for run in cell if run.marked] == ["Item"]


@given(st.text(alphabet="ab |\n", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_no_word_is_lost_and_none_is_added(text: str, one: int, other: int) -> None:
    marked = [Span(min(one, other, len(text)), min(max(one, other), len(text)))]
    pieces = lay_out(text, marked=marked)
    assert everything(pieces).replace("|", " ").split() == text.replace("|", " ").split()


@given(st.text(alphabet="ab |\n", max_size=60), st.integers(0, 60), st.integers(0, 60))
def test_what_is_marked_is_shown_marked(text: str, one: int, other: int) -> None:
    start, end = min(one, other, len(text)), min(max(one, other), len(text))
    pieces = lay_out(text, marked=[Span(start, end)])
    shown = "".join(run.text for piece in pieces for run in runs_of(piece) if run.marked)
    assert letters(shown) == letters(text[start:end])


def letters(text: str) -> str:
    return "".join(text.replace("|", " ").split())
