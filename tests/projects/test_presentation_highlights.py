"""Tests of the marks and excerpts of a search."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.presentation.highlights import excerpt, marks, runs
from projects.presentation.quotes import Span


def marked(text: str, question: str) -> list[str]:
    return [text[span.start : span.end] for span in marks(text, question)]


@pytest.mark.parametrize(
    ("question", "text", "expected"),
    [
        ("What is the rent?", "The rent is due.", ["rent"]),
        ("leases", "This Lease was leased.", ["Lease", "leased"]),
        ("running costs", "It runs up a cost.", ["runs", "cost"]),
        ("Müller", "Herr MÜLLER und Frau Muller", ["MÜLLER", "Muller"]),
        ("PA-22-150", "the PA-22-150 of 1950", ["PA", "22", "150"]),
        ("what is it", "What it is", ["What", "it", "is"]),
        ("100", "1000 and 100", ["100"]),
        ("contract", "a contrast", []),
    ],
    ids=["stop words", "endings", "doubled letter", "accents", "identifier", "only stop words", "number", "other word"],
)
def test_the_telling_words_are_marked(question: str, text: str, expected: list[str]) -> None:
    assert marked(text, question) == expected


def test_the_excerpt_is_where_most_of_the_words_are() -> None:
    text = "rent " + "filler " * 100 + "the rent and the deposit are due " + "other " * 100
    shown = "".join(run.text for run in excerpt(text, marks(text, "rent deposit due"), 100))
    assert "rent and the deposit are due" in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")


def test_a_short_text_is_shown_as_it_is() -> None:
    assert "".join(run.text for run in excerpt("All of it.", [], 100)) == "All of it."


@given(st.text(alphabet="ab \n", max_size=200), st.text(alphabet="ab ", max_size=6), st.integers(1, 80))
def test_an_excerpt_is_a_stretch_of_the_text_with_its_marks(text: str, question: str, width: int) -> None:
    shown = excerpt(text, marks(text, question), width)
    plain = "".join(run.text for run in shown if run.text not in ("… ", " …"))
    assert plain in text
    assert len(plain) <= width + 60


@given(st.text(max_size=80), st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), max_size=6))
def test_cutting_at_marks_loses_nothing(text: str, pairs: list[tuple[int, int]]) -> None:
    spans = sorted((Span(min(pair), max(pair)) for pair in pairs), key=lambda span: span.start)
    assert "".join(run.text for run in runs(text, spans)) == text
