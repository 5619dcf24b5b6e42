"""Which token is chosen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from inference.contracts import Sampling
from inference.engine.llama import Context, ContextSpec, Model, Piece, library
from inference.engine.sampler import Sampler
from tests.inference.engine.conftest import model_file

WORDS = "The harbour master wrote to the council about the third of"


@pytest.fixture(scope="module")
def model() -> Model:
    return Model(model_file("smollm2-135m"))


@pytest.fixture
def context(model: Model) -> Iterator[Context]:
    context = Context(model, ContextSpec(window=256))
    yield context
    context.free()


def test_the_likeliest_token_is_the_one_that_llama_cpps_own_greedy_sampler_takes(
    model: Model, context: Context
) -> None:
    lib: Any = library()
    theirs, ours = lib.llama_sampler_init_greedy(), Sampler(model, Sampling(temperature=0))
    tokens = model.tokenize(WORDS, special=False)
    chosen: list[tuple[int, int]] = []
    for _ in range(24):
        _, (index,) = context.decode([Piece(0, context.length(0), tokens, want_logits=True)])
        chosen.append((ours.sample(context, index), int(lib.llama_sampler_sample(theirs, context.handle, index))))
        tokens = [chosen[-1][1]]
    lib.llama_sampler_free(theirs)
    ours.free()
    assert [own for own, _ in chosen] == [other for _, other in chosen]
    assert len(set(chosen)) > 5, "a model that says one word over and over shows nothing"


def test_a_repeat_penalty_still_counts_when_the_temperature_is_0(model: Model, context: Context) -> None:
    sampler = Sampler(model, Sampling(temperature=0, repeat_penalty=50.0))
    _, (index,) = context.decode([Piece(0, 0, model.tokenize(WORDS, special=False), want_logits=True)])
    chosen = [sampler.sample(context, index) for _ in range(4)]
    sampler.free()
    assert len(set(chosen)) > 1, "the same logits give another token once the first is penalised"
