"""An answer that says no more than that the documents do not say is known as one, whatever its exact words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering.phrases import phrases_for
from projects.answering.silence import LONGEST, is_silence, may_be_silence

ASKED = [
    phrases_for("").not_stated,
    phrases_for("Wann wurde der Vertrag mit der Firma unterschrieben und von wem?").not_stated,
    "The document does not say.",
    "The documents don't mention the insurance company.",
    "This report does not specify the age of the pilot",
    "the passages do not contain that information.",
]
"""As a model is told to say it, or nearly: known from its first words on."""
SILENT = [*ASKED, "The wind speed was not specified in the document."]
TELLING = [
    "",
    "The rent is 900 euros [1].",
    "The document says that the rent is 900 euros.",
    "The documents do not say how old he was; the report of the second accident does, it says that he was 61.",
    "The report was written by Gretz.",
]


@pytest.mark.parametrize("answer", SILENT)
def test_silence_is_known(answer: str) -> None:
    assert is_silence(answer)


@pytest.mark.parametrize("answer", TELLING)
def test_what_tells_something_is_no_silence(answer: str) -> None:
    assert not is_silence(answer)


@pytest.mark.parametrize("answer", ASKED)
@given(st.data())
def test_no_beginning_of_silence_is_shown(answer: str, data: st.DataObject) -> None:
    assert may_be_silence(answer[: data.draw(st.integers(0, len(answer)))])


@given(st.text(min_size=LONGEST + 1).filter(lambda text: len(text.strip()) > LONGEST))
def test_nothing_is_held_back_for_long(beginning: str) -> None:
    assert not may_be_silence(beginning)
