"""Tests of finding a quote in a text that was set differently."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.presentation.quotes import find, find_pieces, fold

WORDS = st.lists(st.text(alphabet="abcdeéößfi", min_size=2, max_size=8), min_size=1, max_size=8)
GAPS = st.sampled_from([" ", "\n", "  ", "\r\n", "\u00a0", "\u2009"])


def found(text: str, quote: str, start: int = 0) -> str | None:
    span = find(text, quote, start)
    return text[span.start : span.end] if span else None


@pytest.mark.parametrize(
    ("text", "quote", "expected"),
    [
        ("The rent\nis  nine hundred.", "rent is nine", "rent\nis  nine"),
        ("a con-\ntract of lease", "contract", "con-\ntract"),
        ("a con\u00ad\ntract", "contract", "con\u00ad\ntract"),
        ("the of\ufb01ce \ufb02oor", "office floor", "of\ufb01ce \ufb02oor"),
        ("la Ge\u0301rance", "Gérance", "Ge\u0301rance"),
        ("the landlord\u2019s “account”", 'landlord\'s "account"', "landlord\u2019s “account”"),
        ("engine IO\u2011470", "IO-470", "IO\u2011470"),
        ("STRASSE 5", "Straße", "STRASSE"),
        ("page\ufffeend of it", "pageend", "page\ufffeend"),
    ],
    ids=["spaces", "parted", "soft hyphen", "ligatures", "accents", "quotes", "no-break hyphen", "sharp s", "pdfium"],
)
def test_the_words_are_found_however_they_are_set(text: str, quote: str, expected: str) -> None:
    assert found(text, quote) == expected


def test_the_place_after_the_start_is_preferred_and_an_earlier_one_taken_else() -> None:
    text = "Due at once. Again: due at once."
    assert find(text, "due at once", 13).start == 20  # type: ignore[union-attr]
    assert find(text, "Again", 15).start == 13  # type: ignore[union-attr]


@pytest.mark.parametrize("quote", ["", "  ", "-", "something else"])
def test_what_is_not_there_or_has_no_words_is_not_found(quote: str) -> None:
    assert find("The rent is nine hundred.", quote) is None


def test_a_quote_over_two_columns_is_found_in_its_pieces() -> None:
    page = "The tenant pays the rent  Heating is paid on the third day of  in advance with the month."
    quote = "The tenant pays the rent on the third day of the month."
    assert [page[s.start : s.end] for s in find_pieces(page, quote)] == [
        "The tenant pays the rent",
        "on the third day of",
    ]


def test_single_words_are_no_pieces() -> None:
    assert find_pieces("rent here, month there", "the rent of a month") == []


@given(before=WORDS, quote=WORDS, after=WORDS, data=st.data())
def test_any_white_space_and_parting_is_bridged(
    before: list[str], quote: list[str], after: list[str], data: st.DataObject
) -> None:
    parted = [f"{word[0]}{data.draw(st.sampled_from(['', '-', chr(0xAD)]))}{word[1:]}" for word in quote]
    text = " ".join([*before, data.draw(GAPS).join(parted), *after])
    span = find(text, " ".join(quote))
    assert span is not None
    assert fold(text[span.start : span.end]).text == fold("".join(quote)).text


@given(st.text(), st.text())
def test_what_is_found_reads_as_the_quote(text: str, quote: str) -> None:
    span = find(text, quote)
    if span:
        assert 0 <= span.start < span.end <= len(text)
        # A folded sign may be the half of a character ('½' has a 1), so the stretch may hold more than the quote.
        assert fold(quote).text in fold(text[span.start : span.end]).text
    else:
        assert not fold(quote).text or fold(quote).text not in fold(text).text


@given(st.text())
def test_each_folded_character_knows_its_place(text: str) -> None:
    folded = fold(text)
    assert len(folded.text) == len(folded.places)
    assert list(folded.places) == sorted(folded.places)
