"""No figure survives in a summary that its document does not have."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.faithful import Values, held_to

REPORT = Values.of(
    "On December 29, 2007, about 16:30, a Beech A36, N1234A, of three occupants, NTSB No. DFW08FA053, landed short. "
    "Rent: 1,200.50 EUR. Deposit 950.00. Paid on 5.3.2008. Range 12 345 km. A Boeing 737-800 was near."
)


@pytest.mark.parametrize(
    "sentence",
    [
        "It happened on 29 December 2007.",
        "It happened in December 2007 at 16:30.",
        "Der Unfall geschah am 29. Dezember 2007.",
        "L'accident du 29 décembre 2007.",
        "There were 3 occupants.",
        "The rent is 1.200,50 EUR and the deposit 950 EUR.",
        "It was paid on March 5, 2008.",
        "It was paid on 2008-03-05.",
        "It flew 12,345 km with N1234A.",
        "A 737-800 was near, says DFW08FA053.",
        "Nobody was hurt.",
        "It happened on the 29th of December [3].",
    ],
)
def test_what_the_document_says_in_other_words_stays(sentence: str) -> None:
    assert REPORT.lacks(sentence.replace(" [3]", "")) == []
    assert held_to(sentence, REPORT).text == sentence


@pytest.mark.parametrize(
    ("sentence", "wrong"),
    [
        ("It happened on 28 December 2007.", ["28 December 2007"]),
        ("It happened on 29 November 2007.", ["29 November 2007"]),
        ("It happened in 2008 to N1234B.", ["N1234B"]),
        ("There were 4 occupants.", ["4"]),
        ("The rent is 1,250.50 EUR.", ["1,250.50"]),
        ("The case is CEN09LA123.", ["CEN09LA123"]),
        ("A B36 landed.", ["B36"]),
        ("It was paid on 6.3.2008.", ["6.3.2008"]),
        ("It took 12 346 km.", ["346"]),
    ],
)
def test_what_the_document_does_not_say_goes_with_its_sentence(sentence: str, wrong: list[str]) -> None:
    assert REPORT.lacks(sentence) == wrong
    kept = held_to(f"Nobody was hurt. {sentence} The rent is 950 EUR.", REPORT)
    assert kept.text == "Nobody was hurt. The rent is 950 EUR."
    assert kept.dropped == ((sentence, tuple(wrong)),)


WORDS = st.sampled_from(
    ["rent", "of", "the", "flat", "12", "950.00", "3 May 2021", "N12AB", "1,200", "2021-05-03", "7"]
)


@given(st.lists(WORDS, min_size=1, max_size=12))
def test_a_text_lacks_nothing_of_itself(words: list[str]) -> None:
    text = " and ".join(words) + "."
    assert Values.of(text).lacks(text) == []


@given(st.lists(WORDS, max_size=8), st.lists(WORDS, max_size=8))
def test_what_is_left_never_has_a_figure_that_the_document_lacks(document: list[str], summary: list[str]) -> None:
    values = Values.of(" and ".join(document))
    kept = held_to(". Then ".join(summary), values).text
    assert values.lacks(kept) == []
