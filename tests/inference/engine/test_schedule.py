"""Which tokens enter a batch, and which slot a request gets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from inference.engine.schedule import (
    GRAIN,
    FreeSlot,
    Need,
    choose_slot,
    common_prefix,
    compose,
    first_served,
    next_in_line,
    prefill_budget,
)

needs = st.lists(
    st.builds(Need, slot=st.integers(0, 20), pending=st.integers(1, 900), generating=st.booleans()).map(
        lambda need: Need(need.slot, 1, True) if need.generating else need
    ),
    max_size=8,
    unique_by=lambda need: need.slot,
)


@given(needs, st.integers(-1, 20), st.integers(0, 600))
def test_a_batch_serves_every_answer_and_never_more_than_its_budget(some: list[Need], turn: int, budget: int) -> None:
    shares = compose(some, turn, budget)
    assert all(shares[need.slot] == 1 for need in some if need.generating)
    prefill = sum(shares.get(need.slot, 0) for need in some if not need.generating)
    wanted = sum(need.pending for need in some if not need.generating)
    assert min(budget, wanted) - GRAIN < prefill <= min(budget, wanted)
    cut = [need for need in some if 0 < shares.get(need.slot, 0) < need.pending]
    assert all(shares[need.slot] % GRAIN == 0 for need in cut)
    assert all(0 < shares[need.slot] <= need.pending for need in some if need.slot in shares)


def test_prefills_take_turns_so_that_a_short_question_passes_a_long_document() -> None:
    left = {0: 10_000, 1: 300, 2: 300}
    turn, order = -1, []
    for _ in range(6):
        some = [Need(slot, pending, False) for slot, pending in left.items() if pending]
        shares = compose(some, turn, 256)
        turn = first_served(shares, some, turn)
        order.append(turn)
        for slot, share in shares.items():
            left[slot] -= share
    assert (left[1], left[2]) == (0, 0)
    assert order[:3] == [0, 1, 2]


@given(st.integers(1, 2048), st.integers(32, 512), st.integers(0, 8), st.floats(0, 5000))
def test_the_prefill_budget_fits_the_batch(room: int, ubatch: int, generating: int, speed: float) -> None:
    assert 0 <= prefill_budget(room, ubatch, generating, speed) <= min(room, ubatch)


def test_a_prefill_alone_fills_a_ubatch_and_beside_answers_a_fraction_of_a_second() -> None:
    assert prefill_budget(512, 256, 0, 100.0) == 256
    assert prefill_budget(511, 256, 1, 100.0) == 32
    assert prefill_budget(511, 256, 1, 0.0) == 16


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
