"""The chances of an answer's tokens: out of logits, and from a real model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from inference.contracts import LEAST_LOGPROB, Completion, Delta, Finished, PoolName, Progress, Sampling
from inference.engine.chances import log_chances
from inference.engine.engine import LlamaEngine
from tests.inference.engine.conftest import Asked, ask

real = pytest.mark.engine
rows = arrays.arrays(np.float32, st.integers(1, 60), elements=st.floats(-80, 80, width=32))

ASK = "Does water boil at a hundred degrees? Answer Yes or No."
EVERY = 1_000_000
"""More than there are tokens."""


# Out of logits


@given(logits=rows)
def test_all_tokens_together_are_certain(logits: Any) -> None:
    likeliest, _ = log_chances(logits, EVERY, [])
    assert sorted(token for token, _ in likeliest) == list(range(logits.size))
    assert math.fsum(math.exp(logprob) for _, logprob in likeliest) == pytest.approx(1.0, abs=1e-5)


@given(logits=rows, count=st.integers(0, 70))
def test_the_likeliest_come_first_and_are_those_of_a_full_sort(logits: Any, count: int) -> None:
    likeliest, _ = log_chances(logits, count, [])
    order = sorted(range(logits.size), key=lambda token: (-logits[token], token))
    assert [token for token, _ in likeliest] == order[:count]
    assert [logprob for _, logprob in likeliest] == sorted((logprob for _, logprob in likeliest), reverse=True)


@given(logits=rows, shift=st.integers(-1000, 1000), data=st.data())
def test_a_token_has_the_same_chance_wherever_it_is_named_and_whatever_is_added(
    logits: Any, shift: int, data: st.DataObject
) -> None:
    token = data.draw(st.integers(0, logits.size - 1))
    likeliest, (own,) = log_chances(logits, EVERY, [token])
    assert dict(likeliest)[token] == own <= 0
    assert log_chances(logits + np.float32(shift), 0, [token])[1][0] == pytest.approx(own, abs=1e-3)


def test_of_equally_likely_tokens_the_lowest_comes_first() -> None:
    logits = np.array([0.0, 2.0, 1.0, 2.0, 2.0], dtype=np.float32)
    assert [token for token, _ in log_chances(logits, 2, [])[0]] == [1, 3]


def test_what_is_impossible_has_a_number_that_json_can_hold() -> None:
    logits = np.array([0.0, -np.inf], dtype=np.float32)
    assert log_chances(logits, 2, [1]) == ([(0, 0.0), (1, LEAST_LOGPROB)], [LEAST_LOGPROB])


def test_the_logits_are_left_as_they_are() -> None:
    logits = np.arange(5, dtype=np.float32)
    log_chances(logits, 3, [0])
    assert logits.tolist() == [0, 1, 2, 3, 4]


# From a real model


def whole(asked: Asked) -> Completion:
    """Return the answer to a request with the chances of its tokens."""
    pieces: list[Delta] = []
    while not isinstance(event := asked.events.get(timeout=60), Finished):
        if isinstance(event, Exception):
            raise event
        if not isinstance(event, Progress):
            pieces.append(event)
    return Completion.of(pieces, event)


@real
def test_all_tokens_of_the_model_together_are_certain_and_the_greedy_one_is_the_likeliest(engine: LlamaEngine) -> None:
    answer = whole(ask(engine, ASK, logprobs=EVERY, max_tokens=3))
    assert len(answer.logprobs) == 3
    for told in answer.logprobs:
        assert len(told.top) > 40_000
        assert math.fsum(other.probability for other in told.top) == pytest.approx(1.0, abs=1e-5)
        assert (told.data, told.logprob) == (told.top[0].data, told.top[0].logprob)


@real
@pytest.mark.parametrize(
    "sampling",
    [Sampling(), Sampling(temperature=1.5, top_p=0.9, repeat_penalty=1.3, seed=11)],
    ids=["greedy", "by chance"],
)
def test_the_answer_is_the_same_whether_chances_are_asked_for_or_not(engine: LlamaEngine, sampling: Sampling) -> None:
    plain = whole(ask(engine, ASK, sampling=sampling, max_tokens=24))
    told = whole(ask(engine, ASK, sampling=sampling, max_tokens=24, logprobs=5))
    assert (told.text, told.reason, told.timings.generated) == (plain.text, plain.reason, plain.timings.generated)
    assert plain.logprobs == ()
    assert all(len(token.top) == 5 for token in told.logprobs)
    assert math.fsum(other.probability for token in told.logprobs for other in token.top) <= len(told.logprobs)


@real
def test_the_tokens_put_together_are_the_answer_and_what_ended_it(engine: LlamaEngine) -> None:
    answer = whole(ask(engine, "Say OK.", logprobs=1, max_tokens=400))
    assert answer.reason == "stop"
    *tokens, last = answer.logprobs
    assert b"".join(token.data for token in tokens).decode() == answer.text
    assert len(tokens) == answer.timings.generated
    assert last.text == "<|im_end|>"


@real
def test_chances_are_those_before_temperature_penalties_and_grammar(engine: LlamaEngine) -> None:
    greedy = whole(ask(engine, ASK, logprobs=5, max_tokens=1)).logprobs[0]
    hot = Sampling(temperature=2.0, top_k=3, repeat_penalty=1.5, seed=3)
    assert whole(ask(engine, ASK, logprobs=5, max_tokens=1, sampling=hot)).logprobs[0].top == greedy.top
    bound = Sampling(grammar_schema={"type": "object", "properties": {"a": {"const": 1}}, "required": ["a"]})
    forced = whole(ask(engine, ASK, logprobs=5, max_tokens=1, sampling=bound)).logprobs[0]
    assert forced.top == greedy.top
    assert forced.text.startswith("{")
    assert forced.logprob < greedy.logprob


@real
def test_tokens_of_a_stop_string_are_told_although_their_text_is_not(engine: LlamaEngine) -> None:
    plain = whole(ask(engine, ASK, logprobs=0))
    second = plain.logprobs[1].text
    cut = whole(ask(engine, ASK, logprobs=0, stop=(second,)))
    assert cut.text == plain.logprobs[0].text
    assert cut.logprobs == plain.logprobs[:2]


@real
def test_chances_are_the_same_after_a_prefix_was_reused_and_after_giving_way(engine: LlamaEngine) -> None:
    long = " ".join(f"Item {number} costs {number * 7 % 13} euros." for number in range(100)) + ASK
    clean = whole(ask(engine, long, pool=PoolName.STUDY, logprobs=5))
    assert clean.timings.reused < 100
    again = whole(ask(engine, long, pool=PoolName.STUDY, logprobs=5))
    assert again.timings.reused > 900
    ask(engine, "Something else.", pool=PoolName.STUDY).result()
    study = ask(engine, long, pool=PoolName.STUDY, logprobs=5)
    study.until(Progress)
    ask(engine, "A question?", max_tokens=3).result()
    assert whole(study).logprobs == again.logprobs == clean.logprobs
