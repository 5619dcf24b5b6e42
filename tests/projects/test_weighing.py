"""Which documents are meant is told by how they differ, since a small model says Yes too gladly."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering.weighing import chosen


@pytest.mark.parametrize(
    ("likely", "places"),
    [
        ([0.69, 0.79, 0.58, 0.82, 0.67], [1, 3]),  # Yes to all of them, and yet two stand out
        ([0.42, 0.62, 0.36, 0.66], [1, 3]),
        ([0.81, 0.83, 0.80], [0, 1, 2]),
        ([0.21, 0.24, 0.22], []),
        ([0.0, 0.9, 0.0], [1]),
        ([0.53, 0.0, 0.62, 0.0], [0, 2]),  # the date of the question stands in these two alone
        ([0.0, 0.0], []),
        ([], []),
        ([0.9], [0]),
        ([0.1], []),
    ],
)
def test_those_that_stand_out_are_meant(likely: list[float], places: list[int]) -> None:
    assert chosen(likely) == places


@given(st.lists(st.floats(min_value=0, max_value=1), max_size=12))
def test_whoever_is_likelier_than_one_that_is_meant_is_meant_too(likely: list[float]) -> None:
    meant = chosen(likely)
    least = min((likely[at] for at in meant), default=2.0)
    assert all(at in meant for at, chance in enumerate(likely) if chance > least)
