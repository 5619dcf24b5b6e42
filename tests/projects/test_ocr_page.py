"""From found lines to a page's text: order, slant, pages that lie on their side, mistakes in figures."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract import ocr
from projects.intake.extract.ocr_page import lines_of, read_page

LETTER, HEIGHT = 15, 30
"""The width of a letter and the height of a line in pixels."""


def found(text: str, left: float, top: float, sure: float = 0.99, height: float = HEIGHT) -> ocr.Found:
    right, bottom = left + LETTER * len(text), top + height
    return ocr.Found(text, sure, ((left, top), (right, top), (right, bottom), (left, bottom)))


def slanted(line: ocr.Found, degrees: float) -> ocr.Found:
    angle = math.radians(degrees)
    corners = tuple(
        (x * math.cos(angle) - y * math.sin(angle), x * math.sin(angle) + y * math.cos(angle)) for x, y in line.corners
    )
    return ocr.Found(line.text, line.sure, corners)


def standing(text: str, left: float, sure: float) -> ocr.Found:
    """Return a line that runs up the picture; its corners count from where its box begins, as RapidOCR's do."""
    down = LETTER * len(text)
    return ocr.Found(text, sure, ((left, 0), (left + HEIGHT, 0), (left + HEIGHT, down), (left, down)))


def texts(lines: list[ocr.Found]) -> list[str]:
    return [line.text for line in lines_of(lines)]


FORM = [
    found("Rent:", 50, 100),
    found("Deposit:", 50, 160),
    found("900 euros", 400, 104),
    found("1,800 euros", 400, 157),
]


def test_what_stands_on_one_line_is_read_as_one() -> None:
    assert texts(FORM) == ["Rent: 900 euros", "Deposit: 1,800 euros"]


@given(st.permutations(FORM), st.floats(-4, 4))
def test_neither_the_order_of_finding_nor_a_slant_changes_the_text(lines: list[ocr.Found], degrees: float) -> None:
    assert texts([slanted(line, degrees) for line in lines]) == ["Rent: 900 euros", "Deposit: 1,800 euros"]


def test_columns_of_a_scan_are_read_one_after_the_other() -> None:
    left = [f"the tenant pays what is agreed on in part {number}" for number in range(6)]
    right = [f"and the landlord repairs what is in section {number}" for number in range(6)]
    lines = [found(text, 50, 100 + 40 * number) for number, text in enumerate(left)]
    lines += [found(text, 900, 112 + 40 * number) for number, text in enumerate(right)]

    assert texts(lines) == [*left, *right]


def test_a_title_is_larger_than_what_follows() -> None:
    lines = lines_of([found("Lease", 50, 20, height=60), found("The rent is", 50, 100), found("nine hundred", 50, 140)])

    assert [line.size for line in lines] == [2.0, 1.0, 1.0]


@pytest.mark.parametrize(
    ("seen", "read"),
    [
        ("over 9,ooo feet", "over 9,000 feet"),
        ("the 1,50o-foot strip", "the 1,500-foot strip"),
        ("1.2O0,50 Euro", "1.200,50 Euro"),
        ("artigo 1o", "artigo 1o"),
        ("version 2.0.oOo1", "version 2.0.oOo1"),
        ("no, too", "no, too"),
    ],
)
def test_letters_within_figures_are_zeros(seen: str, read: str) -> None:
    assert texts([found(seen, 50, 100)]) == [read]


def test_a_word_parted_at_a_line_s_end_keeps_its_hyphen_soft() -> None:
    assert texts([found("in good re-", 50, 100), found("pair", 50, 140)]) == ["in good re\u00ad", "pair"]


@given(st.lists(st.tuples(st.text("abc.1 ", min_size=1, max_size=20), st.integers(0, 2000), st.integers(0, 2000))))
def test_no_word_is_lost_or_doubled(drawn: list[tuple[str, int, int]]) -> None:
    lines = [found(text, left, top) for text, left, top in drawn]

    assert sorted(" ".join(texts(lines)).split()) == sorted(" ".join(text for text, _, _ in drawn).split())


class Turned:
    """A picture of which what is read depends on how it is turned: its first point tells by how many quarters."""

    def __init__(self, *by_quarter: list[ocr.Found]) -> None:
        self.by_quarter = by_quarter
        self.seen: list[int] = []
        self.picture = np.array([[[0], [1]], [[3], [2]]], dtype=np.uint8).repeat(3, axis=2)

    def recognise(self, picture: Any) -> list[ocr.Found]:
        self.seen.append(int(picture[0, 0, 0]))
        return self.by_quarter[self.seen[-1]]


GARBAGE = [found("Deupi ros", 50, 100, 0.6), found("Th rs ros", 50, 140, 0.65)]
UPRIGHT = [found("The rent is 900 euros.", 50, 100)]


@pytest.mark.parametrize(
    ("turned", "seen"),
    [
        (Turned(UPRIGHT, [], [], []), [0]),
        (Turned(GARBAGE, [], UPRIGHT, []), [0, 2]),
        (Turned([standing("The rent is 900 euros.", 50, 0.99)], UPRIGHT, [], GARBAGE), [0, 1]),
        (Turned([standing("Th rs ros", 50, 0.6)], GARBAGE, [], UPRIGHT), [0, 3]),
    ],
    ids=["upright", "upside down", "on its left", "on its right"],
)
def test_a_page_is_read_however_it_lies(turned: Turned, seen: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "recognise", turned.recognise)

    assert read_page(turned.picture).text == "The rent is 900 euros."
    assert turned.seen == seen


def test_an_illegible_page_stays_as_it_is_if_turning_it_helps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    worse = [found("Dp rs", 50, 100, 0.55)]
    turned = Turned(GARBAGE, worse, worse, worse)
    monkeypatch.setattr(ocr, "recognise", turned.recognise)

    read = read_page(turned.picture)

    assert (read.text, read.unsure) == ("Deupi ros\nTh rs ros", 2)
