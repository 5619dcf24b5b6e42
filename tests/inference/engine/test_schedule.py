"""Which tokens enter a batch, and which slot a request gets."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from inference.engine.schedule import (
    GRAIN,
    FreeSlot,
    Need,
    Turns,
    choose_slot,
    common_prefix,
    compose,
    next_in_line,
    prefill_budget,
    stretch,
)

needs = st.lists(
    st.builds(Need, slot=st.integers(0, 20), pending=st.integers(1, 900), generating=st.booleans()).map(
        lambda need: Need(need.slot, 1, True) if need.generating else need
    ),
    max_size=8,
    unique_by=lambda need: need.slot,
)


turns = st.builds(Turns, reader=st.integers(-1, 20), steps=st.integers(0, 5))


@given(needs, turns, st.integers(16, 512), st.floats(0, 5000))
def test_a_batch_is_one_token_of_every_answer_or_a_stretch_of_one_prompt(
    some: list[Need], whose: Turns, ubatch: int, speed: float
) -> None:
    shares = compose(some, whose, ubatch, speed).shares
    served = {need.slot: need for need in some if need.slot in shares}
    if any(need.generating for need in served.values()):
        assert shares == {need.slot: 1 for need in some if need.generating}
    else:
        assert len(shares) == min(1, len(some))
    for slot, need in served.items():
        assert 0 < shares[slot] <= min(need.pending, max(ubatch, 1))
        assert need.generating or shares[slot] == need.pending or shares[slot] % GRAIN == 0


def play(needs_of: Callable[[], list[Need]], batches: int) -> list[dict[int, int]]:
    """Return the shares of the next batches, with speed 100 tokens/s and ubatches of 256."""
    whose, played = Turns(), []
    for _ in range(batches):
        batch = compose(needs_of(), whose, 256, 100.0)
        whose = batch.turns
        played.append(dict(batch.shares))
    return played


def test_prefills_take_turns_so_that_a_short_question_passes_a_long_document() -> None:
    left = {0: 10_000, 1: 300, 2: 300}

    def needs_of() -> list[Need]:
        return [Need(slot, pending, False) for slot, pending in left.items() if pending]

    whose = Turns()
    for _ in range(6):
        batch = compose(needs_of(), whose, 256, 100.0)
        whose = batch.turns
        for slot, share in batch.shares.items():
            left[slot] -= share
    assert left == {0: 10_000 - 512, 1: 0, 2: 0}


def test_answers_keep_their_pace_while_a_prompt_is_read() -> None:
    some = [Need(0, 1, True), Need(1, 1, True), Need(2, 900, False)]
    one, stretch = {0: 1, 1: 1}, {2: 32}
    assert play(lambda: some, 8) == [one, one, one, stretch, one, one, one, stretch]


def test_a_prefill_alone_fills_a_ubatch_and_beside_answers_a_fraction_of_a_second() -> None:
    assert prefill_budget(256, 100.0, alone=True) == 256
    assert prefill_budget(256, 100.0, alone=False) == 32
    assert prefill_budget(256, 0.0, alone=False) == 16
    assert prefill_budget(256, 9000.0, alone=False) == 256


@given(st.lists(st.integers(0, 3)), st.lists(st.integers(0, 3)))
def test_the_common_prefix_is_the_longest_one(held: list[int], wanted: list[int]) -> None:
    size = common_prefix(held, wanted)
    assert held[:size] == wanted[:size]
    assert size == min(len(held), len(wanted)) or held[size] != wanted[size]


def test_a_conversation_comes_back_to_its_own_slot() -> None:
    free = [FreeSlot(0, 500, "a", 9.0), FreeSlot(1, 20, "b", 5.0), FreeSlot(2, 0, None, 0.0)]
    assert choose_slot(free, "b") == 1


def test_a_new_conversation_takes_an_unused_slot_before_anyones_history() -> None:
    free = [FreeSlot(0, 500, "a", 9.0), FreeSlot(1, 20, "b", 5.0), FreeSlot(2, 0, None, 0.0)]
    assert choose_slot(free, "c") == 2
    assert choose_slot(free[:2], "c") == 1


def test_requests_without_a_conversation_share_the_slot_that_knows_most() -> None:
    free = [FreeSlot(0, 5, "", 9.0), FreeSlot(1, 20, "", 5.0), FreeSlot(2, 90, "a", 1.0)]
    assert choose_slot(free, "") == 1


def test_a_tab_that_asks_ten_questions_does_not_keep_another_waiting() -> None:
    line = ["busy"] * 10 + ["quiet"]
    order: list[str] = []
    served = {"busy": 1}
    while line:
        name = line.pop(next_in_line(line, served))
        served[name] = len(order) + 2
        order.append(name)
    assert order[:2] == ["quiet", "busy"]


def test_questions_of_one_conversation_keep_their_order() -> None:
    assert next_in_line(["a", "a", "a"], {"a": 7}) == 0


@given(st.integers(1, 3000), st.integers(2, 64).map(lambda grains: grains * GRAIN))
def test_a_prompt_is_cut_at_grains_and_ends_in_no_smaller_piece(prompt: int, budget: int) -> None:
    left, pieces = prompt, []
    while left:
        pieces.append(stretch(left, budget))
        left -= pieces[-1]
    assert all(0 < piece <= budget for piece in pieces)
    assert all(piece % GRAIN == 0 for piece in pieces[:-1])
    assert pieces[-1] >= min(prompt, GRAIN)
