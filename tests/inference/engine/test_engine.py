"""The engine with a real model: the same answer whatever happened around it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from inference.contracts import ChatMessage, ChatRequest, Delta, EngineState, Finished, PoolName, Progress, Sampling
from inference.engine.engine import LlamaEngine
from inference.engine.llama import NO_ROOM, Piece
from inference.engine.schedule import GRAIN
from inference.errors import BadRequest, EngineFault, PromptTooLong, ServiceBusy, UnknownModel
from tests.inference.engine.conftest import SERVICE_LINE, ask

pytestmark = pytest.mark.engine

LONG = " ".join(f"Item {number} costs {number * 7 % 13} euros." for number in range(100))
"""About 1,000 tokens: four batches of prefill, so that something can come in between."""


@pytest.fixture(scope="module")
def undisturbed(engine: LlamaEngine) -> str:
    """The answer about the long text when nothing else happens."""
    text, end = ask(engine, LONG, pool=PoolName.STUDY).result()
    assert end.timings.generated > 0
    return text


def test_greedy_answers_repeat_and_the_second_asking_reads_almost_nothing(engine: LlamaEngine) -> None:
    first, _ = ask(engine, "Name a colour.", conversation="greedy").result()
    second, end = ask(engine, "Name a colour.", conversation="greedy").result()
    assert first == second != ""
    assert 1 <= end.timings.read < 2 * GRAIN


def test_the_accounts_add_up(engine: LlamaEngine) -> None:
    _, end = ask(engine, "Name a colour.", max_tokens=5).result()
    timings = end.timings
    assert timings.prompt == timings.restored + timings.reused + timings.read
    assert 1 <= timings.generated <= 5
    assert end.reason in ("length", "stop")


def test_the_next_turn_of_a_conversation_reads_only_what_is_new(engine: LlamaEngine) -> None:
    answer, first = ask(engine, LONG, conversation="turns").result()
    _, second = ask(engine, LONG, answer, "And the dearest?", conversation="turns").result()
    assert second.timings.reused > first.timings.prompt - 2 * GRAIN
    assert second.timings.read < 40


def test_a_service_call_between_two_turns_changes_nothing_for_the_second(engine: LlamaEngine) -> None:
    answer, _ = ask(engine, LONG, conversation="pools").result()
    _, plain = ask(engine, LONG, answer, "And the dearest?", conversation="pools").result()
    answer, _ = ask(engine, LONG, conversation="pools").result()
    ask(engine, "Something else altogether. " * 20, pool=PoolName.SERVICE).result()
    _, disturbed = ask(engine, LONG, answer, "And the dearest?", conversation="pools").result()
    assert disturbed.timings.reused == plain.timings.reused > 900


def test_a_new_conversation_takes_over_a_prefix_that_lies_in_another_slot(engine: LlamaEngine) -> None:
    ask(engine, LONG, conversation="donor").result()
    expected, _ = ask(engine, LONG + " Which is dearest?", conversation="donor").result()
    got, end = ask(engine, LONG + " Which is dearest?", conversation="heir").result()
    assert got == expected
    assert end.timings.reused > 900


def test_study_gives_way_at_once_and_goes_on_to_the_same_answer(engine: LlamaEngine, undisturbed: str) -> None:
    study = ask(engine, "Not that. " + LONG, pool=PoolName.STUDY)
    clean, _ = study.result()
    study = ask(engine, LONG, pool=PoolName.STUDY)
    assert study.until(Progress).read < 300
    for number in range(3):
        live = ask(engine, f"Question {number}?", max_tokens=3)
        live.result()
        assert study.events.qsize() <= 3  # progress of a batch or two between the questions, but not the end
    assert study.result()[0] == undisturbed
    again, _ = ask(engine, "Not that. " + LONG, pool=PoolName.STUDY).result()
    assert again == clean


def test_metrics_tell_tokens_read_and_waits_for_each_pool(engine: LlamaEngine) -> None:
    before = engine.metrics()
    study = ask(engine, "Yet another. " + LONG, pool=PoolName.STUDY)
    study.until(Progress)
    assert engine.metrics()["study_reading"] == 1
    _, live = ask(engine, "Question?", max_tokens=1).result()
    _, end = study.result()
    gained = {name: value - before[name] for name, value in engine.metrics().items()}
    assert gained["study_read_tokens_total"] == end.timings.read > 900
    assert gained["conversation_wait_seconds_count"] == 1
    assert gained["conversation_wait_seconds_sum"] == pytest.approx(live.timings.wait_ms / 1000)


def test_a_request_cancelled_during_prefill_leaves_a_slot_that_answers_as_before(
    engine: LlamaEngine, undisturbed: str
) -> None:
    cancelled = ask(engine, LONG + " More.", pool=PoolName.STUDY)
    cancelled.until(Progress)
    cancelled.ticket.cancel()
    _, end = cancelled.result()
    assert (end.reason, end.timings.generated) == ("cancelled", 0)
    assert ask(engine, LONG, pool=PoolName.STUDY).result()[0] == undisturbed


def test_a_request_cancelled_while_it_answers_stops_and_keeps_its_slot_whole(engine: LlamaEngine) -> None:
    clean, _ = ask(engine, "Tell me a story.", conversation="stop").result()
    running = ask(engine, "Tell me a story.", conversation="stop", max_tokens=500)
    running.until(Delta)
    running.ticket.cancel()
    _, end = running.result()
    assert end.reason == "cancelled"
    assert end.timings.generated < 400
    assert ask(engine, "Tell me a story.", conversation="stop").result()[0] == clean


def test_a_request_cancelled_in_line_never_runs(engine: LlamaEngine) -> None:
    running = ask(engine, LONG, pool=PoolName.STUDY)
    waiting = ask(engine, "Hello", pool=PoolName.STUDY)
    waiting.ticket.cancel()
    _, end = waiting.result()
    assert (end.reason, end.timings.read, end.timings.generated) == ("cancelled", 0, 0)
    running.ticket.cancel()
    running.result()


@pytest.mark.parametrize("moment", range(4))
def test_a_stop_in_one_tab_leaves_the_answer_in_another_going(engine: LlamaEngine, moment: int) -> None:
    clean, _ = ask(engine, "Tell me a story.", conversation="one tab", max_tokens=40).result()
    ask(engine, "Something else.", conversation="one tab", max_tokens=1).result()
    answering = ask(engine, "Tell me a story.", conversation="one tab", max_tokens=40)
    answering.until(Delta)
    reading = ask(engine, f"{moment}. {LONG}", conversation="other tab")
    for _ in range(moment + 1):
        reading.until(Progress)
    reading.ticket.cancel()
    assert reading.result()[1].reason == "cancelled"
    assert answering.result()[1].timings.generated > 10
    assert ask(engine, "Tell me a story.", conversation="one tab", max_tokens=40).result()[0] == clean


def test_what_is_read_beside_an_answer_is_what_is_read_alone_to_the_bit(engine: LlamaEngine) -> None:
    pool = engine._pools[PoolName.CONVERSATION]

    def read() -> Any:
        ask(engine, "Something else altogether.", conversation="reader", max_tokens=1).result()
        _, end = ask(engine, LONG, conversation="reader", max_tokens=1).result()
        assert end.timings.read > 900
        return pool.context.state(next(slot.index for slot in pool._slots if slot.conversation == "reader"))

    alone = read()
    answering = ask(engine, "Tell me a story.", conversation="writer", max_tokens=200)
    answering.until(Delta)
    beside = read()
    answering.ticket.cancel()
    assert answering.result()[1].timings.generated > 10
    assert np.array_equal(alone, beside)


def test_several_conversations_answer_side_by_side(engine: LlamaEngine) -> None:
    alone = [ask(engine, f"Say {word}.", conversation=word).result()[0] for word in ("yes", "no", "maybe")]
    together = [ask(engine, f"Say {word}.", conversation=word) for word in ("yes", "no", "maybe")]
    assert [asked.result()[0] for asked in together] == alone


def test_a_schema_binds_the_answer(engine: LlamaEngine) -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    text, _ = ask(engine, "How many?", pool=PoolName.SERVICE, sampling=Sampling(grammar_schema=schema)).result()
    assert isinstance(json.loads(text)["n"], int)


@pytest.mark.parametrize(
    "schema", [{"type": "no such type"}, {"properties": {"a": 1}}, {"type": "object", "properties": [1]}, {"items": 3}]
)
def test_a_schema_that_is_none_is_refused_and_the_slot_goes_on(engine: LlamaEngine, schema: dict[str, object]) -> None:
    with pytest.raises(BadRequest):
        ask(engine, "How many?", sampling=Sampling(grammar_schema=schema))
    assert ask(engine, "Name a colour.").result()[0]


def test_a_seed_makes_a_warm_answer_repeatable(engine: LlamaEngine) -> None:
    warm = Sampling(temperature=1.5, top_k=50, top_p=0.95, min_p=0.01, repeat_penalty=1.1, seed=3)
    first, _ = ask(engine, "Tell me a story.", sampling=warm).result()
    assert ask(engine, "Tell me a story.", sampling=warm).result()[0] == first
    others = {ask(engine, "Tell me a story.", sampling=Sampling(temperature=1.5, seed=n)).result()[0] for n in range(3)}
    assert len(others) > 1


def test_a_stop_string_ends_the_answer_before_itself(engine: LlamaEngine) -> None:
    whole, _ = ask(engine, "Count from 1 to 9.", max_tokens=30).result()
    stop = whole[len(whole) // 2 : len(whole) // 2 + 3]
    text, end = ask(engine, "Count from 1 to 9.", max_tokens=30, stop=(stop,)).result()
    assert (text, end.reason) == (whole[: whole.find(stop)], "stop")


def test_what_does_not_fit_is_refused_with_the_numbers(engine: LlamaEngine) -> None:
    with pytest.raises(PromptTooLong, match="window holds 2,048"):
        ask(engine, LONG * 3)
    with pytest.raises(PromptTooLong):
        ask(engine, "Hello", max_tokens=2048)


def test_a_full_line_refuses_with_a_sentence_and_serves_those_in_it(engine: LlamaEngine) -> None:
    running = ask(engine, LONG, pool=PoolName.SERVICE)
    running.until(Progress)
    waiting = [ask(engine, "Hello", pool=PoolName.SERVICE, max_tokens=1) for _ in range(SERVICE_LINE)]
    with pytest.raises(ServiceBusy, match="waiting already"):
        ask(engine, "Hello", pool=PoolName.SERVICE)
    running.ticket.cancel()
    assert [asked.result()[1].timings.generated for asked in waiting] == [1] * SERVICE_LINE


@pytest.mark.parametrize("outcome", [EngineFault("decode failed"), NO_ROOM])
def test_a_decode_that_fails_is_an_error_and_the_slot_answers_again(
    engine: LlamaEngine, monkeypatch: pytest.MonkeyPatch, outcome: EngineFault | int
) -> None:
    clean, _ = ask(engine, LONG, pool=PoolName.STUDY).result()
    context = engine._pools[PoolName.STUDY].context
    decode, calls = context.decode, iter(range(100))

    def failing(pieces: Sequence[Piece]) -> tuple[int, list[int]]:
        if next(calls) != 1:
            return decode(pieces)
        if isinstance(outcome, EngineFault):
            raise outcome
        return outcome, [-1 for _ in pieces]

    ask(engine, "Something else, so that the document has to be read again.", pool=PoolName.STUDY).result()
    monkeypatch.setattr(context, "decode", failing)
    with pytest.raises(EngineFault):
        ask(engine, LONG, pool=PoolName.STUDY).result()
    assert ask(engine, LONG, pool=PoolName.STUDY).result()[0] == clean


def test_a_listener_that_raises_harms_nobody_else(engine: LlamaEngine) -> None:
    neighbour = ask(engine, "Tell me a story.", conversation="neighbour")
    request = ChatRequest(messages=(ChatMessage("user", "Hello"),), max_tokens=4)
    engine.submit(request, Mock(side_effect=RuntimeError("closed")))
    assert neighbour.result()[1].reason in ("stop", "length")
    assert engine.health().state is EngineState.READY


def test_a_cancelled_study_request_ends_although_a_conversation_is_busy(engine: LlamaEngine) -> None:
    study = ask(engine, LONG, pool=PoolName.STUDY)
    live = ask(engine, "Tell me a story.", max_tokens=300)
    live.until(Delta)
    study.ticket.cancel()
    assert study.result()[1].reason == "cancelled"
    assert not any(isinstance(event, Finished) for event in list(live.events.queue))
    live.ticket.cancel()
    live.result()


def test_another_model_is_an_error_never_a_fallback(engine: LlamaEngine) -> None:
    with pytest.raises(UnknownModel):
        ask(engine, "Hello", model="some-other")


def test_special_tokens_in_a_document_are_counted_as_text(engine: LlamaEngine) -> None:
    marker, word = engine.count_tokens(["<|im_start|>", "a"])
    assert (marker > 3, word) == (True, 1)
