"""Predictions of seconds: from what was measured, and honest where nothing was."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.contracts import ChatMessage, Part
from projects.answering.costs import (
    CHARACTERS_PER_TOKEN,
    GOES_ON,
    LINES_TOKENS,
    Habits,
    Past,
    Request,
    Speeds,
    habits_of,
    request_of,
    seconds_for,
    speeds_of,
)
from projects.answering.router import Lane

SPEEDS = Speeds(read=100, write=20)
HABITS = Habits(read=100, written=60, restore_s=0.5, rest_s=0.2)
PAST = Past("passages", read=1_000, written=41, restore_s=0.0, read_s=10.0, write_s=2.0, total_s=12.5)

prompts = st.integers(1, 20_000)


def test_an_answer_is_fetched_read_and_written() -> None:
    assert seconds_for([Request(200, fetched=True)], HABITS, SPEEDS) == pytest.approx(0.2 + 0.5 + 2.0 + 3.0)


def test_the_next_source_counts_as_often_as_it_is_asked() -> None:
    first, second = (seconds_for([Request(200)] * times, HABITS, SPEEDS) or 0 for times in (1, 2))
    assert second - first == pytest.approx(GOES_ON * (2.0 + 3.0))


def test_when_each_document_is_asked_every_one_counts_with_a_line() -> None:
    line = 0.5 + 0.3 + LINES_TOKENS / 20
    requests = [Request(30, fetched=True)] * 9
    assert seconds_for(requests, HABITS, SPEEDS, each=True) == pytest.approx(0.2 + 9 * line)


@pytest.mark.parametrize("speeds", [Speeds(), Speeds(read=100), Speeds(write=20)], ids=["none", "reading", "writing"])
def test_nothing_is_foretold_before_both_speeds_are_measured(speeds: Speeds) -> None:
    assert seconds_for([Request(200)], HABITS, speeds) is None


def test_what_needs_no_model_needs_no_speed_of_one() -> None:
    assert seconds_for([], HABITS, Speeds()) == pytest.approx(0.2)


@given(prompts, prompts)
def test_more_to_read_never_takes_less(one: int, other: int) -> None:
    less, more = sorted([one, other])
    shorter, longer = (seconds_for([Request(tokens)], HABITS, SPEEDS) or 0 for tokens in (less, more))
    assert shorter <= longer


def test_the_speed_is_that_of_the_answers_so_far() -> None:
    assert speeds_of([PAST], Speeds(read=500, write=50)) == Speeds(read=100, write=20)


def test_before_any_answer_the_speed_is_that_of_the_service() -> None:
    assert speeds_of([], SPEEDS) == SPEEDS


def test_one_answer_that_was_held_up_does_not_move_the_speed() -> None:
    held_up = replace(PAST, read_s=500.0, write_s=90.0)
    assert speeds_of([PAST, held_up, PAST]) == SPEEDS


def test_an_answer_that_read_next_to_nothing_tells_no_speed_of_reading() -> None:
    assert speeds_of([replace(PAST, read=9, read_s=1.0)]) == Speeds(read=0, write=20)


def test_habits_are_those_of_the_lane_and_of_answers_that_asked_the_model() -> None:
    long = replace(PAST, lane="deep", written=300, read=40, restore_s=0.4, total_s=20.0)
    ready = replace(PAST, lane="deep", written=0, read=0, total_s=0.1, asked_model=False)
    habits = habits_of([PAST, long, ready, ready], Lane.DEEP)
    assert (habits.read, habits.written, habits.restore_s) == (40, 300, 0.4)
    assert habits.rest_s == pytest.approx(20.0 - 0.4 - 10.0 - 2.0)


def test_a_lane_that_nobody_has_taken_has_habits_too() -> None:
    assert habits_of([PAST], Lane.DIGEST).written > 0


def message(*parts: Part) -> list[ChatMessage]:
    return [ChatMessage("system", "rules"), ChatMessage("user", parts)]


def test_only_what_stands_behind_the_last_remembered_boundary_is_read() -> None:
    messages = message(Part("x" * 9_000, "digest:1"), Part("d" * 900, "document:2"), Part("q" * 360))
    assert request_of(messages, ["document:2", "digest:1"]) == Request(100, fetched=True)
    assert request_of(messages, ["digest:1"]).read == pytest.approx(350)
    assert request_of(messages, ["digest:1"]).fetched
    assert request_of(messages, ["document:3"]).read == pytest.approx((5 + 9_000 + 900 + 360) / CHARACTERS_PER_TOKEN)


def test_the_rules_that_a_slot_holds_are_not_read_again() -> None:
    messages = message(Part("x" * 3_595))
    assert request_of(messages, [], seen=150).read == pytest.approx(850)
    assert request_of(message(Part("q")), [], seen=150).read == 1


@given(st.lists(st.integers(0, 5_000), min_size=1), st.sets(st.integers(0, 9)))
def test_remembering_more_never_makes_more_to_read(lengths: list[int], kept: set[int]) -> None:
    messages = message(*(Part("x" * length, f"document:{n}") for n, length in enumerate(lengths)))
    names = [f"document:{n}" for n in kept]
    assert request_of(messages, names).read <= request_of(messages, []).read


def test_learning_from_answers_brings_the_prediction_to_what_they_took() -> None:
    """A machine ten times slower than the service once measured is foretold rightly after one answer."""
    habits, speeds = habits_of([PAST], Lane.PASSAGES), speeds_of([PAST], Speeds(1_000, 200))
    assert seconds_for([Request(1_000)], habits, speeds) == pytest.approx(PAST.total_s, abs=0.1)
