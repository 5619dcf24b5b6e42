"""Tests of what the supervisor decides, without a process."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.supervise.policy import CALM_S, LONGEST_DELAY_S, after_exit, describe_exit
from inference.supervise.processes import Mark


def test_crashes_in_a_row_are_answered_more_and_more_slowly() -> None:
    delays = []
    streak = 0
    for _ in range(8):
        restart = after_exit(streak, lived_s=1.0)
        delays.append(restart.delay_s)
        streak = restart.streak
    assert delays == [0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0]


@given(streak=st.integers(0, 10**9), lived_s=st.floats(0, CALM_S, exclude_max=True))
def test_delay_stays_within_its_bounds_however_often_it_crashed(streak: int, lived_s: float) -> None:
    restart = after_exit(streak, lived_s)
    assert 0.5 <= restart.delay_s <= LONGEST_DELAY_S
    assert restart.streak == streak + 1


@given(streak=st.integers(0, 10**9))
def test_child_that_ran_for_a_minute_starts_again_at_once(streak: int) -> None:
    restart = after_exit(streak, CALM_S)
    assert (restart.delay_s, restart.streak) == (0.5, 1)


@pytest.mark.parametrize(
    ("code", "words"), [(0, "exit code 0"), (3, "exit code 3"), (-9, "killed by SIGKILL"), (-99, "killed by signal 99")]
)
def test_exit_is_described_in_words(code: int, words: str) -> None:
    assert describe_exit(code) == words


HOME = Path("/home/anna/readahead/run")


@pytest.mark.parametrize("mark", [Mark(HOME), Mark(HOME, "1f"), Mark(HOME, "1f", "web"), Mark(HOME, child="web")])
def test_mark_covers_the_processes_it_describes(mark: Mark) -> None:
    assert mark.covers(str(Mark(HOME, "1f", "web")))


@pytest.mark.parametrize(
    "stranger",
    [
        "",
        "nonsense",
        str(Mark(HOME / "other", "1f", "web")),
        str(Mark(HOME, "2e", "web")),
        str(Mark(HOME, "1f", "worker")),
    ],
)
def test_mark_covers_nothing_else(stranger: str) -> None:
    assert not Mark(HOME, "1f", "web").covers(stranger)


def test_mark_survives_a_folder_with_colons_in_its_name() -> None:
    odd = Path("/home/a:b/run")
    assert Mark(odd, "1f").covers(str(Mark(odd, "1f", "web")))
