"""Citations: only marks that a passage supports, each with a verbatim quote on its page."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.answering.citations import cite, supports
from projects.answering.sentences import sentences, terms
from tests.projects.factories import passage

RENT = passage("The monthly rent is 900 euros.\nIt is due on the first day of the month.", page=2, chunk_id=11)
DEPOSIT = passage("The tenant pays a deposit of 1,800 euros.\fThe deposit carries interest.", page=3, chunk_id=12)
PASSAGES = [RENT, DEPOSIT]


def numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\[(\d+)\]", text)]


def test_a_mark_that_holds_stays_and_quotes_its_sentence() -> None:
    cited = cite("The rent is 900 euros [1].", PASSAGES)

    assert cited.text == "The rent is 900 euros. [1]"
    assert [(mark.number, mark.chunk_id, mark.page, mark.quote) for mark in cited.marks] == [
        (1, 11, 2, "The monthly rent is 900 euros.")
    ]


def test_the_quote_holds_the_figure_rather_than_more_of_the_words() -> None:
    report = passage("The report on the plane at Tallahassee\nRegistration: N5921D")

    (mark,) = cite("The report says the plane at Tallahassee was N5921D [1].", [report]).marks

    assert mark.quote == "Registration: N5921D"


def test_a_mark_on_the_wrong_passage_gives_way_to_the_right_one() -> None:
    cited = cite("The rent is 900 euros. [2]", PASSAGES)

    assert numbers(cited.text) == [1]


def test_a_mark_that_no_passage_supports_is_dropped() -> None:
    cited = cite("The landlord lives in Lisbon [1]. The rent is 900 euros [1].", PASSAGES)

    assert cited.text == "The landlord lives in Lisbon. The rent is 900 euros. [1]"


def test_a_number_that_is_in_no_passage_is_not_covered_by_the_words_around_it() -> None:
    assert cite("The monthly rent is 950 euros [1].", PASSAGES).marks == ()


def test_an_answer_without_marks_gets_those_that_support_it() -> None:
    assert numbers(cite("The rent is 900 euros. The deposit is 1,800 euros.", PASSAGES).text) == [1, 2]


def test_marks_for_passages_that_do_not_exist_vanish() -> None:
    assert numbers(cite("The rent is 900 euros [7].", PASSAGES).text) == [1]


def test_several_numbers_in_one_mark_are_checked_one_by_one() -> None:
    assert numbers(cite("The rent is 900 euros [1, 2].", PASSAGES).text) == [1]


def test_a_sentence_that_says_the_documents_are_silent_rests_on_nothing() -> None:
    cited = cite("The documents do not say. [1]", PASSAGES)

    assert cited.text == "The documents do not say."
    assert cited.marks == ()


def test_a_quote_after_a_page_break_has_the_page_it_stands_on() -> None:
    (mark,) = cite("The deposit carries interest [2].", PASSAGES).marks

    assert (mark.page, mark.quote) == (4, "The deposit carries interest.")


@pytest.mark.parametrize(
    "text", ["Built by J. Smith in 1931.", "Mr. Smith paid. ", "It cost 3.5 million.", "See No. 5."]
)
def test_abbreviations_initials_and_decimals_do_not_end_a_sentence(text: str) -> None:
    assert len(list(sentences(text))) == 1


def test_dates_and_identifiers_are_compared_as_a_whole() -> None:
    assert terms("On 12/08/2007 the PA-22-150") == {"12/08/2007", "pa-22-150"}
    assert not supports("It happened on 12/09/2007 to the aircraft.", "It happened on 12/08/2007.")


answers = st.text(alphabet="The rent is 900 euros. [12]\n", max_size=120)


@given(answers)
def test_each_number_in_the_text_has_one_mark_with_a_verbatim_quote(answer: str) -> None:
    cited = cite(answer, PASSAGES)

    assert {mark.number for mark in cited.marks} <= {1, 2}
    assert len({mark.number for mark in cited.marks}) == len(cited.marks)
    assert all(f"[{mark.number}]" in cited.text for mark in cited.marks)
    assert all(mark.quote and mark.quote in PASSAGES[mark.number - 1].text for mark in cited.marks)


@given(answers)
def test_checking_marks_changes_nothing_but_marks(answer: str) -> None:
    bare = re.sub(r"\[\s*\d{1,3}\s*\]|\s", "", answer)

    assert re.sub(r"\[\s*\d{1,3}\s*\]|\s", "", cite(answer, PASSAGES).text) == bare


@given(st.text(max_size=200))
def test_sentences_hold_all_of_a_text_but_white_space(text: str) -> None:
    spans = list(sentences(text))

    assert "".join("".join(text[span.start : span.end].split()) for span in spans) == "".join(text.split())
