"""Tests of the reading report in sentences."""

from __future__ import annotations

import pytest

from projects.presentation.reading_report import left_out, sentences


@pytest.mark.parametrize(
    ("pages", "report", "expected"),
    [
        (None, {}, []),
        (1, {}, ["The one page was read."]),
        (12, {}, ["All 12 pages were read."]),
        (
            1200,
            {"unreadable": [7]},
            ["1,199 of 1,200 pages were read.", "Page 7 was not read: no text could be made out."],
        ),
        (
            3,
            {"ocr": [2]},
            ["All 3 pages were read.", "Page 2 was read by text recognition, since it has no text of its own."],
        ),
        (
            3,
            {"ocr": [1, 2, 3]},
            [
                "All 3 pages were read.",
                "Pages 1, 2 and 3 were read by text recognition, since they have no text of their own.",
            ],
        ),
        (None, {"tables": 1}, ["1 table kept with rows and columns."]),
        (None, {"replaced": 1}, ["1 character could not be decoded and is shown as �."]),
        (None, {"replaced": 1234}, ["1,234 characters could not be decoded and are shown as �."]),
    ],
)
def test_it_is_said_what_was_read(pages: int | None, report: dict[str, object], expected: list[str]) -> None:
    assert sentences(pages, report) == expected


def test_a_long_list_of_pages_is_cut_and_counted() -> None:
    (_, ocr) = sentences(40, {"ocr": list(range(1, 21))})
    assert ocr.startswith("Pages 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 and 8 more were read")


def test_what_is_left_out_by_design_is_named() -> None:
    assert left_out({"left_out": ["3 pictures."]}) == ["3 pictures."]
    assert left_out({}) == []
