"""The benchmark's own prose: repeatable, of the length asked for, and without shared beginnings."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.texts import fitted, prose


def words(text: str) -> int:
    return len(text.split())


@given(st.integers(0, 10**6), st.integers(0, 40))
def test_the_same_seed_gives_the_same_text_and_more_of_it_only_adds(seed: int, sentences: int) -> None:
    assert prose(seed, sentences + 1).startswith(prose(seed, sentences))


@given(st.integers(0, 1000), st.integers(4, 600))
def test_a_fitted_text_has_the_tokens_asked_for(seed: int, tokens: int) -> None:
    assert words(fitted(seed, tokens, words)) == tokens


@given(st.integers(0, 10**6), st.integers(1, 10))
def test_neighbouring_seeds_differ_in_the_first_word(seed: int, further: int) -> None:
    assert prose(seed, 1).split()[0] != prose(seed + further, 1).split()[0]


def test_a_text_that_cannot_be_that_short_is_refused() -> None:
    with pytest.raises(ValueError, match="2 tokens are too few"):
        fitted(1, 2, words)
