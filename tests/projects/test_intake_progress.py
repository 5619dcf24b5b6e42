"""How long reading will take: laws that hold for any files, and what is said of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.progress import FIXED, Measured, Underway, rest_of, seconds_left
from projects.models import Document
from projects.presentation.intake import about, overall

sizes = st.integers(0, 10**9)
seconds = st.floats(0.01, 10_000)
measured = st.lists(st.builds(Measured, sizes, seconds), min_size=1, max_size=10)
underway = st.builds(Underway, sizes, seconds, st.integers(0, 50), st.integers(50, 100))
runs = st.lists(underway, max_size=3)
lines = st.lists(sizes, max_size=10)


@given(measured, runs, lines)
def test_there_is_an_estimate_as_soon_as_something_was_read(m: list[Measured], u: list[Underway], w: list[int]) -> None:
    left = seconds_left(m, u, w)
    assert left is not None
    assert left >= 0


@given(measured, runs, lines, sizes)
def test_a_file_more_never_makes_it_shorter(m: list[Measured], u: list[Underway], w: list[int], size: int) -> None:
    assert (seconds_left(m, u, [*w, size]) or 0) > (seconds_left(m, u, w) or 0)


@given(measured, lines, st.floats(0.5, 8))
def test_a_machine_so_much_slower_takes_so_much_longer(m: list[Measured], w: list[int], times: float) -> None:
    slower = [replace(file, seconds=file.seconds * times) for file in m]
    assert seconds_left(slower, [], w) == pytest.approx((seconds_left(m, [], w) or 0) * times)


def test_pages_that_an_earlier_reading_had_done_do_not_make_it_look_fast() -> None:
    assert rest_of(Underway(1, seconds=20.0, done=110, total=300, before=100)) == pytest.approx(380)
    assert rest_of(Underway(1, seconds=20.0, done=100, total=300, before=100)) is None


@given(underway)
def test_a_file_that_gets_on_has_less_before_it(file: Underway) -> None:
    further = replace(file, done=file.done + 1, total=file.total + 1)
    before, after = rest_of(file), rest_of(replace(further, total=file.total))
    assert after is not None
    assert before is None or after <= before


@given(measured, runs)
def test_nothing_left_to_read_is_no_time_at_all(m: list[Measured], u: list[Underway]) -> None:
    assert seconds_left(m, [], []) == 0
    assert seconds_left(m, [replace(file, done=file.total) for file in u], []) == 0


def test_nothing_is_promised_before_anything_was_measured() -> None:
    assert seconds_left([], [], []) == 0
    assert seconds_left([], [], [1000]) is None
    assert seconds_left([], [Underway(1000, 5.0)], []) is None


def test_a_scan_under_way_is_judged_by_its_own_pages_and_not_by_the_notes_before_it() -> None:
    notes = [Measured(1_000, 0.3)] * 5
    scan = Underway(20_000_000, seconds=20.0, done=10, total=300)
    assert seconds_left(notes, [scan], []) == pytest.approx(580)


def test_files_in_line_take_as_long_as_those_before_them_each_with_its_beginning() -> None:
    read = [Measured(FIXED, 2.0)] * 12
    assert seconds_left(read, [], [FIXED] * 28) == pytest.approx(56)
    assert seconds_left(read, [], [0] * 28) == pytest.approx(28)


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (3, "less than a minute"),
        (50, "about 1 minute"),
        (180, "about 3 minutes"),
        (3500, "about 58 minutes"),
        (3590, "about 1 hour"),
        (7000, "about 2 hours"),
    ],
)
def test_a_duration_is_said_so_that_it_can_be_kept(left: float, said: str) -> None:
    assert about(left) == said


def documents(**counts: int) -> list[Document]:
    return [Document(state=state) for state, count in counts.items() for _ in range(count)]


def test_the_line_counts_what_is_ready_and_what_needs_somebody() -> None:
    forty = documents(ready=10, ready_with_warnings=2, queued=27, extracting=1)
    assert overall(forty, 180.0) == "12 of 40 files ready, about 3 minutes left"
    assert overall(documents(queued=1), None) == "0 of 1 file ready"
    some = documents(ready=1, failed=2, needs_password=1, queued=1)
    assert overall(some, 5) == "1 of 5 files ready, less than a minute left; 2 could not be read; 1 needs a password"
