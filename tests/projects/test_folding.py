"""Tests of comparing words without case and accents."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.folding import folded_letters


@pytest.mark.parametrize(
    ("text", "folded"),
    [("RÉSUMÉ", "resume"), ("Straße", "strasse"), ("ﬁle", "file"), ("Éa 1,5", "ea 1,5"), ("ABC [1]", "abc [1]")],
)
def test_case_and_accents_are_folded_and_the_rest_stays(text: str, folded: str) -> None:
    assert folded_letters(text) == folded


@given(st.text())
def test_folding_is_the_same_letter_by_letter_however_it_was_typed(text: str) -> None:
    assert folded_letters(text) == "".join(map(folded_letters, text))
    assert folded_letters(unicodedata.normalize("NFD", text)) == folded_letters(unicodedata.normalize("NFC", text))
