"""Tests of the rule by which people's words lie over what was found."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from study.passports.merging import merged
from study.passports.values import Field, Kind, Source

RENT = Field(Kind.AMOUNT, "Rent", "£900", "900.00 GBP", page=2)
ANN = Field(Kind.PARTY, "Tenant", "Ann Lee", page=1)
BOB = Field(Kind.PARTY, "Tenant", "Bob Ray", page=1)
DATE = Field(Kind.DATE, "", "3 May 2023", "2023-05-03", page=4)

fields = st.builds(
    Field,
    kind=st.sampled_from([Kind.PARTY, Kind.AMOUNT]),
    label=st.sampled_from(["Tenant", "Rent", ""]),
    value=st.sampled_from(["a", "b", "c"]),
)


def corrected(found: Field, value: str) -> Field:
    return replace(found, value=value, normalised="", source=Source.CORRECTED, replaces=found.identity)


def removed(found: Field) -> Field:
    return replace(found, source=Source.REMOVED, replaces=found.identity)


def shown(found: list[Field], words: list[Field]) -> list[str]:
    return [field.value for field in merged(found, words)]


def test_correction_takes_the_place_of_what_it_corrects() -> None:
    assert shown([RENT, ANN], [corrected(RENT, "£950")]) == ["£950", "Ann Lee"]


def test_correction_of_a_named_value_holds_when_another_is_found_later() -> None:
    later = replace(RENT, value="£999", normalised="999.00 GBP", page=3)
    (field,) = merged([later], [corrected(RENT, "£950")])
    assert (field.value, field.page) == ("£950", 3)


def test_of_two_tenants_the_one_that_was_corrected_is_meant() -> None:
    assert shown([ANN, BOB], [corrected(BOB, "Bob Rae")]) == ["Ann Lee", "Bob Rae"]


def test_of_two_new_tenants_none_is_hidden_by_a_correction_of_an_old_one() -> None:
    new = [replace(ANN, value="Cleo"), replace(BOB, value="Dan")]
    assert shown(new, [corrected(BOB, "Bob Rae")]) == ["Cleo", "Dan", "Bob Rae"]


def test_value_without_a_name_is_known_by_itself() -> None:
    assert shown([DATE], [removed(DATE)]) == []
    other = replace(DATE, value="4 May 2023", normalised="2023-05-04")
    assert shown([other], [removed(DATE)]) == ["4 May 2023"]


def test_value_spelled_otherwise_is_the_same_value() -> None:
    assert shown([replace(DATE, value="03.05.2023")], [removed(DATE)]) == []


def test_added_field_comes_last_and_once_when_the_rules_find_it_too() -> None:
    added = replace(BOB, source=Source.CORRECTED)
    assert shown([ANN], [added]) == ["Ann Lee", "Bob Ray"]
    assert shown([ANN, BOB], [added]) == ["Ann Lee", "Bob Ray"]


def test_type_is_one_whatever_was_found() -> None:
    said = Field(Kind.TYPE, "", "lease", source=Source.CORRECTED, replaces="invoice")
    assert shown([Field(Kind.TYPE, "", "letter")], [said]) == ["lease"]


@given(st.lists(fields, max_size=6))
def test_without_words_all_that_was_found_is_shown(found: list[Field]) -> None:
    assert list(merged(found, [])) == found


@given(st.lists(fields, max_size=6, unique=True), st.data())
def test_removed_value_is_never_shown_and_a_correction_always_is(found: list[Field], data: st.DataObject) -> None:
    words = [
        corrected(field, "said") if data.draw(st.booleans()) else removed(field)
        for field in found
        if data.draw(st.booleans())
    ]
    result = merged(found, words)
    assert [field for field in result if field.source == Source.REMOVED] == []
    assert sum(field.value == "said" for field in result) == sum(word.value == "said" for word in words)
    untouched = [field for field in found if field.identity not in {word.replaces for word in words}]
    assert all(field in result for field in untouched if field.label == "")
