"""Tests of a document's text as pages: every word is on its page, and the quoted ones are marked."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from projects.presentation.sheets import Quote, SectionText, Sheet, lay_out


def text_of(sheet: Sheet) -> str:
    return "".join(run.text for block in sheet.blocks for run in block.runs)


def marked(sheets: list[Sheet]) -> list[tuple[int | None, str]]:
    return [(sheet.page, run.text) for sheet in sheets for block in sheet.blocks for run in block.runs if run.marked]


def test_a_section_over_two_pages_stands_on_both() -> None:
    sheets = lay_out([SectionText("Rent", "Rent\n\nNine hundred.\fDue on the third.", 4)])
    assert [(sheet.page, text_of(sheet)) for sheet in sheets] == [(4, "Nine hundred."), (5, "Due on the third.")]


def test_sections_on_one_page_share_its_sheet() -> None:
    sheets = lay_out([SectionText("", "One.", 1), SectionText("", "Two.", 1)])
    assert [len(sheet.blocks) for sheet in sheets] == [2]


def test_the_heading_is_set_apart_and_said_once() -> None:
    (block,) = lay_out([SectionText("Rent", "Rent\n\nNine hundred.", None)])[0].blocks
    assert block.heading == "Rent"
    assert "".join(run.text for run in block.runs) == "Nine hundred."


def test_a_page_without_text_has_no_sheet_and_does_not_shift_the_others() -> None:
    assert [sheet.page for sheet in lay_out([SectionText("", "One.\f\fThree.", 1)])] == [1, 3]


def test_a_format_without_pages_is_one_sheet() -> None:
    assert [sheet.page for sheet in lay_out([SectionText("", "a", None), SectionText("", "b", None)])] == [None]


def test_the_quote_is_marked_whatever_the_white_space() -> None:
    sheets = lay_out([SectionText("", "The rent\nis  nine hundred a month.", 2)], Quote("rent is nine hundred"))
    assert marked(sheets) == [(2, "rent\nis  nine hundred")]


def test_a_quote_over_a_page_break_is_marked_on_both_pages() -> None:
    sheets = lay_out([SectionText("", "It ends with three\fmonths of notice.", 1)], Quote("three months"))
    assert marked(sheets) == [(1, "three"), (2, "months")]


def test_of_equal_words_those_of_the_cited_passage_are_marked() -> None:
    sections = [SectionText("", "Due at once.", 1), SectionText("", "Due at once. Again: Due at once.", 2)]
    sheets = lay_out(sections, Quote("Due at once.", section=1, start=13))
    (before, hit) = sheets[1].blocks[0].runs
    assert (before.text, hit.text, hit.marked) == ("Due at once. Again: ", "Due at once.", True)
    assert len(marked(sheets)) == 1


def test_words_that_are_not_there_mark_nothing() -> None:
    assert marked(lay_out([SectionText("", "Nothing of it.", 1)], Quote("something else"))) == []


@given(st.lists(st.text(alphabet="ab \n\f", max_size=40)), st.text(alphabet="ab ", max_size=5))
def test_no_text_is_lost_and_none_is_added(texts: list[str], words: str) -> None:
    sheets = lay_out([SectionText("", text, 1) for text in texts], Quote(words))
    assert "".join("".join(map(text_of, sheets)).split()) == "".join("".join(texts).split())
