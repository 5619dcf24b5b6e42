"""Tests of the form in which the model is given a passport."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.passports.values import SINGLE, Entry, Field, Kind, Passport, Source
from study.passports.wording import TOKENS, for_model, tokens_in
from tests.study.passport_material import Case, cases, found

LEASE = Passport(
    1,
    "lease",
    "de",
    3,
    (
        Field(Kind.PARTY, "Vermieter", "Karl Brandt", page=1),
        Field(Kind.PARTY, "Mieter", "Ann Lee", page=1),
        Field(Kind.PARTY, "Mieter", "Bob Ray", page=1),
        Field(Kind.DATE, "Mietbeginn", "01.06.2023", "2023-06-01", page=1),
        Field(Kind.AMOUNT, "Kaltmiete", "685,00 €", "685.00 EUR", page=2),
        Field(Kind.SUBJECT, "", "Mietvertrag Gohliser Straße", page=1),
    ),
    (Entry("§ 1 Mietsache", 1), Entry("§ 2 Miete", 2), Entry("§ 3 Kaution", 2)),
)

texts = st.text(st.characters(codec="utf-8", exclude_characters="\n"), min_size=1, max_size=300)
passports = st.builds(
    Passport,
    st.just(1),
    st.sampled_from(["lease", "document"]),
    st.sampled_from(["", "en"]),
    st.none() | st.integers(1, 999),
    st.lists(
        st.builds(Field, st.sampled_from(Kind), texts, texts, page=st.none() | st.integers(1, 99)), max_size=40
    ).map(tuple),
    st.lists(st.builds(Entry, texts, st.none() | st.integers(1, 99)), max_size=40).map(tuple),
)


def test_model_is_given_values_by_page_and_the_contents() -> None:
    assert for_model(LEASE) == (
        "Type: lease, German, 3 pages\n"
        "Page 1: Vermieter: Karl Brandt; Mieter: Ann Lee, Bob Ray; Mietbeginn: 2023-06-01; "
        "Title: Mietvertrag Gohliser Straße\n"
        "Page 2: Kaltmiete: 685,00 €\n"
        "Contents: p. 1 § 1 Mietsache; p. 2 § 2 Miete; § 3 Kaution"
    )


def test_document_without_pages_has_none_in_its_passport() -> None:
    passport = replace(LEASE, pages=None, fields=(Field(Kind.PARTY, "Mieter", "Ann Lee"),), contents=(Entry("Rent"),))
    assert for_model(passport) == "Type: lease, German\nMieter: Ann Lee\nContents: Rent"


def test_what_a_person_said_comes_in_when_there_is_no_room_for_all() -> None:
    many = tuple(Field(Kind.PARTY, "Present", f"Somebody Number{index} Somewhere", page=1) for index in range(40))
    said = Field(Kind.AMOUNT, "Rent", "£950", page=2, source=Source.CORRECTED)
    text = for_model(replace(LEASE, fields=(*many, said), contents=()))
    assert "Rent: £950" in text
    assert tokens_in(text) <= TOKENS * 1.1


def test_date_that_nothing_names_is_left_out_beside_those_with_a_name() -> None:
    unnamed = Field(Kind.DATE, "", "June 1, 2009", "2009-06-01", page=3)
    assert "2009" not in for_model(replace(LEASE, fields=(*LEASE.fields, unnamed)))
    assert "June 1, 2009" in for_model(replace(LEASE, fields=(unnamed,)))


def test_time_of_day_stays_beside_the_date() -> None:
    when = Field(Kind.DATE, "Date & Time", "12/08/2007, 1730 EST", "2007-12-08", page=1)
    assert "Date & Time: 2007-12-08, 1730 EST" in for_model(replace(LEASE, fields=(when,)))


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_passports_of_real_documents_are_about_200_tokens_at_most(case: Case) -> None:
    result = found(case.name)
    fields = tuple(field for field in result.fields if field.kind not in SINGLE)
    text = for_model(Passport(1, result.type, result.language, result.pages, fields, result.contents))
    assert 20 <= tokens_in(text) <= TOKENS * 1.1


@given(passports)
def test_any_passport_is_about_200_tokens_at_most_and_always_the_same(passport: Passport) -> None:
    text = for_model(passport)
    assert tokens_in(text) <= TOKENS * 1.25
    assert text == for_model(replace(passport))
