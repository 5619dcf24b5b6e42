"""The statistics behind the figures: what they say about known numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.stats import paired_ratio, percentile, slope

values = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=60)


def test_the_95th_percentile_of_twenty_is_the_nineteenth() -> None:
    assert percentile(list(range(20, 0, -1)), 0.95) == 19


def test_one_late_answer_in_two_hundred_does_not_show_and_eleven_do() -> None:
    assert percentile([10.0] * 199 + [900.0], 0.95) == 10
    assert percentile([10.0] * 189 + [900.0] * 11, 0.95) == 900


@given(values, st.floats(0, 1))
def test_a_percentile_is_one_of_the_values_and_leaves_its_share_below(values: list[float], share: float) -> None:
    found = percentile(values, share)
    assert found in values
    assert sum(value <= found for value in values) >= share * len(values)


def test_a_percentile_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="of nothing"):
        percentile([], 0.95)


def test_a_machine_that_slows_down_between_pairs_does_not_change_the_ratio() -> None:
    assert paired_ratio([98.0, 49.0, 24.5], [100.0, 50.0, 25.0]) == pytest.approx(0.98)


def test_pairs_that_lack_a_partner_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        paired_ratio([1.0, 2.0], [1.0])


@given(st.floats(-100, 100), st.integers(3, 30))
def test_a_straight_line_has_its_slope(rise: float, points: int) -> None:
    assert slope([(x, 500 + rise * x) for x in range(points)]) == pytest.approx(rise, abs=1e-6)


def test_a_peak_does_not_bend_the_slope() -> None:
    flat = [(float(minute), 400.0) for minute in range(30)]
    flat[12] = (12.0, 900.0)
    assert slope(flat) == 0


def test_a_long_series_is_sampled_and_still_rises() -> None:
    assert slope([(x / 12, 400 + x / 12 * 0.5) for x in range(400)]) == pytest.approx(0.5)


def test_a_single_point_has_no_slope() -> None:
    assert slope([(1.0, 400.0)]) == 0
