"""How the benchmark of answering judges: right answers, invented figures, cited pages."""

from __future__ import annotations

import pytest

from bench.answers import scoring
from bench.answers.inventions import Findings, Known
from bench.answers.judging import has_page, judge
from bench.answers.questions import Question, Said
from bench.answers.records import Cited, Record

Groups = tuple[tuple[str, ...], ...]


@pytest.mark.parametrize(
    ("expect", "answer"),
    [
        ((("13110",),), "It is 13,110 feet long."),
        ((("13,110",),), "It is 13110 feet long."),
        ((("N1458U",),), "the plane was n1458u"),
        ((("engine mount",), ("firewall",)), "The **engine\n mount** and the Firewall"),
        ((("13-18", "13 to 18"),), "ages 13–18"),
        ((("-13",),), "It was −13 °C"),
        ((("don't",),), "The documents don’t say"),
        ((("soft hyphen",),), "a soft\u00ad hy\u00adphen"),
        ((("November 1, 2007",),), "on November 1, 2007."),
        ((("1 234",),), "`1  234`"),
    ],
    ids=str,
)
def test_what_is_right_is_right_however_it_is_written(expect: Groups, answer: str) -> None:
    assert scoring.is_right(expect, answer)
    assert scoring.missing(expect, answer) == []


@pytest.mark.parametrize(
    ("expect", "answer", "missing"),
    [
        ((("engine mount",), ("firewall", "fire wall")), "The engine mount", [("firewall", "fire wall")]),
        ((("x",),), "", [("x",)]),
        ((("12,13",),), "1213", [("12,13",)]),
    ],
    ids=["one of two", "no answer", "a comma that parts no thousands"],
)
def test_what_is_missing_is_named(expect: Groups, answer: str, missing: list[tuple[str, ...]]) -> None:
    assert not scoring.is_right(expect, answer)
    assert scoring.missing(expect, answer) == missing


def test_an_empty_answer_to_a_question_without_expectations_is_not_right() -> None:
    assert not scoring.is_right((), "  ")


@pytest.mark.parametrize(
    ("alternative", "answer", "inside"),
    [
        ("14", "in 2014", True),
        ("14", "It is 14.", False),
        ("14", "14.5 m", True),
        ("14", "3.14", True),
        ("14", "15", False),
        ("O-320", "an o-320-B2B", False),
    ],
)
def test_a_figure_within_a_longer_one_is_noticed(alternative: str, answer: str, inside: bool) -> None:
    assert scoring.inside_a_number([[alternative]], answer) is inside


def test_documents_that_should_be_left_out_are_noticed() -> None:
    question = Question("q", "Which?", "count", expect=(("Soledad",),), avoid=("Houston", "Reno"))
    judged = judge([question], [Record("questions", "q", "Which?", answer="Soledad and Houston")], {})
    assert (judged[0].right, judged[0].named) == (True, ["Houston"])


TEXTS = {
    "LK08-004.pdf": "The Piper N7318Q hit trees on December 8, 2007. Its runway was 1,500 feet long.",
    "LK08-005.pdf": "The rent is 950.00 euros.",
}


@pytest.mark.parametrize(
    ("answer", "invented"),
    [
        ("N7318Q hit trees on 12/08/2007 [1].", ()),
        ("The runway was 1500 feet long, the rent 950 euros.", ()),
        ("It was N7319Q.", ("N7319Q",)),
        ("It happened on December 9, 2007.", ("December 9, 2007",)),
        ("It cost 12,500 dollars.", ("12,500",)),
        ("Report LK08-005 says so (page 17) [2] (page 31).", ()),
        ("Nobody was 85 years old.", ()),
    ],
    ids=str,
)
def test_a_figure_that_is_in_no_document_and_no_question_is_invented(answer: str, invented: tuple[str, ...]) -> None:
    assert Known(TEXTS).look(answer, asked="How old was the 85-year-old?").invented == invented


def test_a_number_of_documents_is_counted_apart() -> None:
    texts = {f"{letter}.txt": "No figure." for letter in "abc"}
    assert Known(texts).look("3 of these documents, of 41.", "") == Findings(("41",), ("3",))


FACT = Question("q", "Rent?", "specific", ("passages",), ("a.pdf",), {"a.pdf": (2, 4)}, (("950",),))


@pytest.mark.parametrize(
    ("document", "page", "holds"),
    [("a.pdf", 2, True), ("a.pdf", 3, False), ("b.pdf", 2, False), ("a.pdf", None, False)],
)
def test_a_citation_has_to_lead_to_a_page_with_the_answer(document: str, page: int | None, holds: bool) -> None:
    assert has_page(FACT, Record("questions", "q", "Rent?", citations=(Cited(document, page, "950"),))) is holds


def test_no_citation_leads_nowhere_and_a_document_without_pages_is_its_page() -> None:
    plain = Question("q", "Rent?", "specific", pages={"a.txt": ()})
    assert has_page(FACT, Record("questions", "q", "Rent?")) is False
    assert has_page(plain, Record("questions", "q", "Rent?", citations=(Cited("a.txt", None, "950"),))) is True
    assert has_page(Question("q", "About?", "broad", pages={"a.pdf": (1,)}), Record("questions", "q", "About?")) is None


def test_what_was_said_before_is_not_invented() -> None:
    question = Question("q", "And there?", "followup", history=(Said("How long?", "It is 777 feet long."),))
    judged = judge([question], [Record("questions", "q", question.text, answer="Not 777 but 888.")], TEXTS)
    assert judged[0].findings.invented == ("888",)
