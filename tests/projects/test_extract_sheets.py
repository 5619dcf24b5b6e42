"""Sheets as text: values by their formats, tables by their headers."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract.sheets import Hidden, Merge, Sheet, sheet_blocks
from projects.intake.extract.sheets_display import displayed, general

numbers = st.one_of(st.integers(-(10**14), 10**14), st.floats(-1e12, 1e12, allow_nan=False).map(lambda x: round(x, 6)))
FORMATS = [
    "General",
    "0",
    "0.00",
    "#,##0.00",
    "0.0%",
    '#,##0.00 "€"',
    "#,##0;(#,##0)",
    "0.00E+00",
    "# ?/?",
    "@",
    "",
    ";;;",
]


@given(numbers, st.integers(0, 6))
def test_a_number_is_rounded_as_people_round(value: float, places: int) -> None:
    shown = displayed(value, "0." + "0" * places if places else "0")

    expected = Decimal(general(value)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)
    assert Decimal(shown) == expected
    assert not shown.startswith("-0") or expected != 0


@given(numbers)
def test_thousands_are_parted_and_nothing_else_changes(value: float) -> None:
    assert displayed(value, "#,##0.00").replace(",", "") == displayed(value, "0.00")


@given(numbers | st.floats(), st.sampled_from(FORMATS) | st.text('0#?.,%"\\_*;[]EhmsdyGeneral$€ -', max_size=12))
def test_no_format_hides_a_number_or_fails(value: float, number_format: str) -> None:
    assert displayed(value, number_format) != "" or not value


def test_a_format_that_shows_nothing_of_a_number_gives_way_to_it() -> None:
    assert displayed(0.25, "#") == "0.25"
    assert displayed(0.75, "#") == "1"


@given(st.datetimes())
def test_a_date_is_written_in_one_way_whatever_its_format(moment: datetime) -> None:
    for number_format in ("dd.mm.yyyy", "m/d/yy", "[$-F800]dddd, mmmm dd, yyyy", 'yyyy"-"mm"-"dd'):
        assert displayed(moment.replace(microsecond=0), number_format) == moment.date().isoformat()


@pytest.mark.parametrize(
    ("days", "number_format", "shown"),
    [(1.5, "[h]:mm", "36:00"), (-0.25, "[h]:mm", "-6:00"), (0.5, "[mm]:ss", "720:00"), (1 / 86_400, "[ss]", "1")],
)
def test_durations_count_on_beyond_a_day(days: float, number_format: str, shown: str) -> None:
    assert displayed(timedelta(days=days), number_format) == shown


def test_rows_between_empty_ones_stay_in_their_table_and_a_title_above_it() -> None:
    cells = {
        1: {1: "Rents"},
        3: {1: "Tenant", 2: "Rent"},
        4: {1: "Ada", 2: "900"},
        6: {1: "Bob", 2: "800"},
        8: {1: "Sum", 2: "1700"},
    }

    blocks, tables = sheet_blocks(Sheet("Sheet", cells), 1)

    assert [block.text for block in blocks[1:]] == ["Rents", "Tenant | Rent\nAda | 900\nBob | 800\nSum | 1700"]
    assert tables == 1


def test_merged_cells_make_no_rows_of_their_own() -> None:
    cells = {1: {1: "Title"}, 3: {2: "a"}}

    blocks, _ = sheet_blocks(Sheet("Sheet", cells, [Merge(1, 1, 3)]), 1)

    assert [block.text for block in blocks[1:]] == ["Title\nTitle | a"]


def test_many_hidden_ranges_are_not_all_named() -> None:
    hidden = Hidden(rows=tuple(range(2, 40, 2)), columns=("C", "F–H"))

    assert hidden.note() == "(Hidden in the file: rows 2, 4, 6, 8, 10 and more, columns C, F–H.)"
    assert Hidden().note() == ""


def test_a_sheet_without_text_gives_nothing() -> None:
    assert sheet_blocks(Sheet("Sheet", {}, hidden=Hidden(rows=(1,))), 1) == ([], 0)
