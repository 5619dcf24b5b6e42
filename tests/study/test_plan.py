"""In which steps a document is read: every piece once, in order, in readings that fit."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from study.plan import ONE_READING, STRETCH, fitting, plan, steps_done

COUNTS = st.lists(st.integers(1, 900), min_size=1, max_size=120)
ROOM = st.integers(1_500, 16_000)


@given(COUNTS, ROOM)
def test_every_piece_is_read_once_and_in_order(counts: list[int], room: int) -> None:
    made = plan(counts, room)
    assert [index for step in made.steps for index in range(step.first, step.last)] == list(range(len(counts)))
    assert sum(step.tokens for step in made.steps) == sum(counts)


@given(COUNTS, ROOM)
def test_a_part_fits_into_the_window_and_a_step_into_its_part(counts: list[int], room: int) -> None:
    made = plan(counts, room)
    for part in made.parts:
        assert sum(counts[part.start : part.stop]) <= room
    for step in made.steps:
        part = made.parts[step.part]
        assert part.start <= step.first < step.last <= part.stop
        assert step.tokens <= (ONE_READING if made.is_single else STRETCH)


@given(COUNTS, ROOM)
def test_a_text_that_is_short_enough_is_read_in_one_step(counts: list[int], room: int) -> None:
    assert plan(counts, room).is_single == (sum(counts) <= min(ONE_READING, room) or len(plan(counts, room).steps) == 1)


def test_a_text_a_little_too_long_is_cut_in_equal_steps_instead_of_a_long_and_a_tiny_one() -> None:
    made = plan([100] * 33, 16_000)
    assert [step.tokens for step in made.steps] == [1100, 1100, 1100]


@given(COUNTS, ROOM, st.data())
def test_the_checkpoint_counts_each_step_once_and_ends_at_all(
    counts: list[int], room: int, data: st.DataObject
) -> None:
    made = plan(counts, room)
    done = data.draw(st.lists(st.integers(0, len(made.steps) - 1)))
    assert steps_done(made, done, finished=False) == len(set(done))
    assert steps_done(made, done, finished=True) == made.total


@given(st.lists(st.text("ab .", min_size=1, max_size=90), min_size=1, max_size=60), st.integers(50, 4_000))
def test_summaries_that_are_joined_fit_and_are_spread_over_the_document(texts: list[str], room: int) -> None:
    counts = [len(text) for text in texts]
    chosen = fitting(texts, counts, texts, room)
    assert chosen
    assert chosen == texts if sum(counts) <= room else len(chosen) <= len(texts)
    assert set(chosen) <= set(texts)
