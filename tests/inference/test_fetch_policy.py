"""What is done next after each way in which an attempt can end, and the laws that hold whatever the servers do."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference.fetch.policy import (
    AT_THE_TERMINAL,
    IN_THE_BACKGROUND,
    LONGEST_ROUND_PAUSE_S,
    MAX_FAILURES,
    MAX_RESTARTS,
    Ask,
    Done,
    Ending,
    GiveUp,
    Outcome,
    Patience,
    Position,
    after,
    start,
)

NOTHING = Outcome(Ending.INTERRUPTED, "it was cut")
PIECE = Outcome(Ending.INTERRUPTED, "it was cut", got=10)
GONE = Outcome(Ending.REFUSED, "it is not there")

waits = st.none() | st.floats(0, 1e6)
outcomes = st.builds(
    Outcome,
    ending=st.sampled_from([ending for ending in Ending if ending is not Ending.WHOLE]),
    cause=st.sampled_from(["a", "b"]),
    got=st.sampled_from([0, 0, 0, 7]),
    lost=st.booleans(),
    wait_s=waits,
)
patiences = st.builds(Patience, rounds=st.integers(1, 5), longest_wait_s=st.floats(0, 1e5))


def ask(position: Position, outcome: Outcome, patience: Patience = IN_THE_BACKGROUND) -> Ask:
    step = after(position, outcome, patience)
    assert isinstance(step, Ask)
    return step


def test_what_is_whole_is_done() -> None:
    assert after(start(2), Outcome(Ending.WHOLE), AT_THE_TERMINAL) == Done()


def test_pauses_grow_while_nothing_comes_and_begin_anew_with_a_byte() -> None:
    position, pauses = start(1), []
    for outcome in (NOTHING, NOTHING, NOTHING, PIECE, NOTHING):
        step = ask(position, outcome)
        position = step.position
        pauses.append(step.wait_s)
    assert pauses == [1, 2, 4, 1, 2]


def test_a_server_that_names_a_time_is_obeyed() -> None:
    step = ask(start(1), Outcome(Ending.LATER, "rate-limited", wait_s=90))
    assert (step.wait_s, step.limited, step.reason) == (90, True, "rate-limited")


def test_the_next_source_is_asked_when_one_fails_for_good() -> None:
    step = ask(start(2), GONE)
    assert (step.position.queue, step.wait_s) == ((1,), 0)


def test_a_source_that_fails_for_good_is_not_asked_in_the_next_round() -> None:
    position = ask(start(2), GONE).position
    for _ in range(MAX_FAILURES):
        step = ask(position, NOTHING)
        position = step.position
    assert (position.queue, position.round, step.wait_s) == ((1,), 1, 30)


def test_somebody_who_waits_at_the_terminal_gets_an_answer_after_one_round() -> None:
    position = replace(start(1), failures=MAX_FAILURES - 1)
    assert after(position, NOTHING, AT_THE_TERMINAL) == GiveUp(((0, "it was cut"),))


def test_a_file_that_changed_is_begun_anew_at_once() -> None:
    step = ask(start(1), Outcome(Ending.CHANGED, "it has changed", lost=True))
    assert (step.position.queue, step.position.restarts, step.wait_s) == ((0,), 1, 0)


def test_wrong_bytes_from_the_first_to_the_last_are_the_sources_own() -> None:
    assert ask(start(2), Outcome(Ending.WRONG, "wrong checksum", got=10)).position.queue == (1,)


def test_a_file_that_changes_all_the_time_is_given_up() -> None:
    changed = Outcome(Ending.CHANGED, "it has changed", got=5, lost=True)
    position = start(1)
    for _ in range(MAX_RESTARTS):
        position = ask(position, changed).position
    assert isinstance(after(position, changed, IN_THE_BACKGROUND), GiveUp)


@given(st.integers(1, 4), st.lists(outcomes, max_size=40), patiences)
def test_a_position_survives_being_stored(sources: int, ends: list[Outcome], patience: Patience) -> None:
    position = start(sources)
    for end in ends:
        step = after(position, end, patience)
        if not isinstance(step, Ask):
            return
        position = step.position
        assert Position.from_json(position.to_json()) == position


@given(st.integers(1, 4), st.lists(outcomes, max_size=60), patiences)
def test_laws_of_every_step(sources: int, ends: list[Outcome], patience: Patience) -> None:
    position, refused, asked = start(sources), set(), set()
    for end in ends:
        at = position.queue[0]
        asked.add(at)
        if end.ending is Ending.REFUSED:
            refused.add(at)
        step = after(position, end, patience)
        assert not isinstance(step, Done)
        if isinstance(step, GiveUp):
            assert asked == set(range(sources)), "no source is left out"
            assert {source for source, _ in step.causes} == set(range(sources)), "each cause is told"
            return
        assert not refused & set(step.position.queue), "what failed for good is not asked again"
        assert 0 <= step.wait_s <= max(patience.longest_wait_s, LONGEST_ROUND_PAUSE_S, 2.0**MAX_FAILURES)
        if step.position.queue[0] == at and step.position.round == position.round and end.ending is Ending.LATER:
            assert end.wait_s is None or step.wait_s >= end.wait_s, "nobody is asked sooner than they said"
        position = step.position


@given(st.integers(1, 3), st.data(), patiences)
def test_it_comes_to_an_end_when_no_byte_comes(sources: int, data: st.DataObject, patience: Patience) -> None:
    position = start(sources)
    for _ in range((MAX_FAILURES + MAX_RESTARTS + 1) * sources * patience.rounds + 1):
        step = after(position, replace(data.draw(outcomes), got=0), patience)
        if isinstance(step, GiveUp):
            return
        assert isinstance(step, Ask)
        position = step.position
    pytest.fail("it goes on for ever")


@given(st.integers(1, 3), st.data(), patiences)
def test_it_comes_to_an_end_when_all_bytes_are_thrown_away_again(
    sources: int, data: st.DataObject, patience: Patience
) -> None:
    position = start(sources)
    for _ in range(MAX_RESTARTS + sources + 1):
        step = after(position, replace(data.draw(outcomes), got=7, lost=True), patience)
        if isinstance(step, GiveUp):
            return
        assert isinstance(step, Ask)
        position = step.position
    pytest.fail("it goes on for ever")
