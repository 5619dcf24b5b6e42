"""No figure is shown that the sources do not have, and everything else is shown as soon as it comes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering.checking import Checked

SOURCES = ["The rent is 900 euros from 1 May 2020 on.", "Deposit: 1,800 euros."]


def heard(text: str, size: int = 1) -> tuple[str, Checked]:
    """Return what is shown of an answer that comes in pieces of `size` characters."""
    checked = Checked.against(SOURCES)
    shown = "".join(checked.feed(text[at : at + size]) for at in range(0, len(text), size))
    return shown + checked.end(), checked


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        ("It is 900 euros [1]. It was paid on 3 June 2019.", "It is 900 euros [1]."),
        ("Paid on 3 June 2019. It is 900 euros.", " It is 900 euros."),
        ("The deposit is 1800 euros.", "The deposit is 1800 euros."),
        ("Since May 1, 2020.", "Since May 1, 2020."),
        ("It is 950 euros.", ""),
        ("Nobody says.", "Nobody says."),
    ],
)
def test_a_sentence_with_a_figure_that_is_not_there_is_left_out(answer: str, kept: str) -> None:
    assert heard(answer)[1].kept == kept


def test_words_come_at_once_and_a_figure_only_when_its_sentence_holds() -> None:
    checked = Checked.against(SOURCES)
    assert checked.feed("The rent is ") == "The rent is "
    assert checked.feed("900 euros a month") == ""
    assert checked.feed(". And ") == "900 euros a month. And "


@given(st.text(alphabet="ab. 91[]\n"), st.integers(min_value=1, max_value=9))
def test_however_it_comes_the_same_is_kept_and_no_figure_of_a_dropped_sentence_is_shown(text: str, size: int) -> None:
    shown, checked = heard(text, size)
    assert checked.kept == heard(text, max(1, len(text)))[1].kept
    if not checked.dropped:
        assert shown.strip() == checked.kept.strip()
