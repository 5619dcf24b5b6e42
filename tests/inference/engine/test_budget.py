"""The laws of the memory plan, over all machines and models."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.engine.budget import (
    GIB,
    SMALLEST_WINDOW,
    STEP,
    Costs,
    Curve,
    Wish,
    least_memory,
    needed,
    reserve,
    share,
)
from inference.engine.machine import Machine
from inference.errors import ModelFailed

WINDOWS = (2048, 4096, 8192, 16384)


def curve(at_first: int, per_token: int) -> Curve:
    return Curve(tuple((window, at_first + per_token * (window - WINDOWS[0])) for window in WINDOWS))


# The reference model: 1.1 GB of weights, 28,672 bytes a token, 155 MB of buffers.
REFERENCE = Costs(1_111_370_240, curve(28_672 * 2048, 28_672), curve(155_000_000, 3_000), 32_768)

costs = st.builds(
    Costs,
    weights=st.integers(10**8, 60 * 10**9),
    cache=st.builds(curve, st.integers(10**6, 10**9), st.integers(0, 10**6)),
    compute=st.builds(curve, st.integers(10**7, 10**9), st.integers(0, 10**5)),
    trained_window=st.integers(SMALLEST_WINDOW, 10**6),
)
wishes = st.builds(Wish, window=st.integers(SMALLEST_WINDOW, 200_000), conversations=st.integers(1, 8))
memory = st.integers(GIB, 512 * GIB)


def machine(total: int, available: int | None = None) -> Machine:
    return Machine(total, total if available is None else available, cores=2)


def window_of(costs: Costs, total: int, wish: Wish) -> int:
    """The planned window, 0 for a model that is refused."""
    try:
        return share(costs, machine(total), wish).window
    except ModelFailed:
        return 0


@given(costs, memory, memory, wishes)
def test_more_memory_never_gives_a_smaller_window(costs: Costs, one: int, other: int, wish: Wish) -> None:
    less, more = sorted((one, other))
    assert window_of(costs, less, wish) <= window_of(costs, more, wish)


@given(costs, memory, wishes)
def test_a_plan_never_takes_more_than_there_is(costs: Costs, total: int, wish: Wish) -> None:
    try:
        part = share(costs, machine(total), wish)
    except ModelFailed:
        return
    assert part.bytes == needed(costs, part.window, part.conversations) <= total - reserve(total)
    assert part.window % STEP == 0
    assert part.window <= min(wish.window, costs.trained_window)
    assert 1 <= part.conversations <= wish.conversations


@given(costs, memory, wishes)
def test_the_window_is_the_largest_that_fits(costs: Costs, total: int, wish: Wish) -> None:
    window = window_of(costs, total, wish)
    part = share(costs, machine(total), wish) if window else None
    if part and part.window + STEP <= min(wish.window, costs.trained_window) and part.conversations > 1:
        assert needed(costs, part.window + STEP, part.conversations) > total - reserve(total)


@given(costs, memory, wishes, st.integers(0, 512 * GIB))
def test_what_is_free_right_now_changes_the_warning_and_nothing_else(
    costs: Costs, total: int, wish: Wish, available: int
) -> None:
    try:
        idle = share(costs, machine(total), wish)
    except ModelFailed:
        return
    busy = share(costs, machine(total, available), wish)
    assert (busy.window, busy.conversations, busy.bytes) == (idle.window, idle.conversations, idle.bytes)
    assert busy.tight == (busy.bytes > available)


@given(costs, memory, wishes)
def test_a_refusal_names_memory_that_would_do_and_that_this_machine_lacks(costs: Costs, total: int, wish: Wish) -> None:
    try:
        share(costs, machine(total), wish)
    except ModelFailed as refused:
        said = re.fullmatch(
            r"This model needs at least ([\d.]+) GB of memory; this machine has ([\d.]+)\.", refused.message
        )
        assert said
        wanted, there = float(said[1]), float(said[2])
        assert wanted > there
        assert share(costs, machine(round(wanted * GIB)), wish).window >= SMALLEST_WINDOW
    else:
        assert total >= least_memory(costs)


def test_the_reference_model_gets_its_whole_window_on_eight_gigabytes() -> None:
    part = share(REFERENCE, machine(8 * GIB), Wish())
    assert (part.window, part.conversations, part.notes) == (16_384, 2, ())


def test_a_window_cut_by_memory_says_so_with_the_numbers() -> None:
    part = share(REFERENCE, machine(int(4.6 * GIB)), Wish())
    assert part.window < 16_384
    (note,) = part.notes
    assert f"{part.window:,} tokens instead of 16,384" in note
    assert "4.6 GB" in note


def test_a_window_cut_by_the_model_blames_the_model() -> None:
    small = Costs(10**8, curve(10**6, 1000), curve(10**7, 0), 8192)
    assert share(small, machine(16 * GIB), Wish()).notes == (
        "The window holds 8,192 tokens: the model was made for no more.",
    )


def test_conversations_side_by_side_are_given_up_before_the_window_gets_too_small() -> None:
    part = share(REFERENCE, machine(4 * GIB), Wish())
    assert part.conversations == 1
    assert any("One question is answered at a time instead of 2" in note for note in part.notes)


def test_a_model_beyond_the_machine_is_refused_with_both_numbers() -> None:
    large = Costs(26 * 10**9, REFERENCE.cache, REFERENCE.compute, 32_768)
    with pytest.raises(ModelFailed, match=r"needs at least 29 GB of memory; this machine has 24\."):
        share(large, machine(24 * GIB), Wish())


def test_numbers_that_would_round_to_the_same_get_a_decimal() -> None:
    least = least_memory(REFERENCE)
    with pytest.raises(ModelFailed, match=r"at least \d\.\d GB of memory; this machine has \d\.\d\."):
        share(REFERENCE, machine(least - GIB // 8), Wish())


@given(st.lists(st.tuples(st.integers(1, 10**6), st.integers(0, 10**9)), min_size=1, max_size=6), st.integers(0, 10**6))
def test_a_curve_meets_its_points_and_never_falls(points: list[tuple[int, int]], tokens: int) -> None:
    rising = dict(zip(sorted({at for at, _ in points}), sorted(size for _, size in points), strict=False))
    made = Curve(tuple(rising.items()))
    assert [made.at(at) for at in rising] == list(rising.values())
    assert made.at(tokens) <= made.at(tokens + STEP)
