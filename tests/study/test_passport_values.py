"""Tests of the readers of single values: dates, amounts, names, identifiers and their checks."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.passports import amounts, checks, dates, identifiers
from study.passports.dates import Order
from study.passports.names import name_in, names_in


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2024-03-15", "2024-03-15"),
        ("15.03.2024", "2024-03-15"),
        ("5.3.2024", "2024-03-05"),
        ("15. März 2024", "2024-03-15"),
        ("den 3. Mai 2024", "2024-05-03"),
        ("1er janvier 2024", "2024-01-01"),
        ("24 août 2023", "2023-08-24"),
        ("3 de marzo de 2024", "2024-03-03"),
        ("March 15, 2024", "2024-03-15"),
        ("15th of March 2024", "2024-03-15"),
        ("15-Mar-2024", "2024-03-15"),
        ("Sept. 4, 2023", "2023-09-04"),
        ("15.03.24", "2024-03-15"),
        ("15.03.85", "1985-03-15"),
        ("2024-03-15T10:20:00+01:00", "2024-03-15"),
        ("05/05/2024", "2024-05-05"),
        ("25/12/2024", "2024-12-25"),
    ],
)
def test_date_is_read(text: str, iso: str) -> None:
    assert [found.iso for found in dates.spot(text, Order.UNKNOWN)] == [iso]


@pytest.mark.parametrize(
    "text", ["31.02.2024", "45.13.2024", "1.2.3.2024", "10.0.0.2024", "3.14.24", "2024", "12/2024/5", "1/2"]
)
def test_what_is_no_date_is_none(text: str) -> None:
    assert dates.spot(text, Order.DAY_FIRST) == []


@pytest.mark.parametrize(
    ("texts", "language", "order"),
    [
        (["03/05/2024"], "de", Order.DAY_FIRST),
        (["03/05/2024"], "fr", Order.DAY_FIRST),
        (["03/05/2024"], "en", Order.UNKNOWN),
        (["03/05/2024", "13/05/2024"], "en", Order.DAY_FIRST),
        (["03/05/2024", "05/13/2024"], "en", Order.MONTH_FIRST),
        (["13/05/2024", "05/13/2024"], "en", Order.UNKNOWN),
        (["03/05/2024", "on December 6, 2007"], "en", Order.MONTH_FIRST),
        (["03/05/2024", "on 6 December 2007"], "en", Order.DAY_FIRST),
    ],
)
def test_order_of_day_and_month_is_what_the_document_shows(texts: list[str], language: str, order: Order) -> None:
    assert dates.order_of(texts, language) == order


@given(st.dates(date(1900, 1, 1), date(2099, 12, 31)))
def test_every_day_is_read_as_itself(day: date) -> None:
    for text in (
        f"{day:%d.%m.%Y}",
        f"{day:%Y-%m-%d}",
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
    ):
        assert [found.iso for found in dates.spot(f"on {text} at", Order.UNKNOWN)] == [day.isoformat()]


@pytest.mark.parametrize(
    ("text", "normalised"),
    [
        ("1.234,56 €", "1234.56 EUR"),
        ("1 234,56 €", "1234.56 EUR"),
        ("1\u202f234,56\u00a0€", "1234.56 EUR"),
        ("$1,234.56", "1234.56 USD"),
        ("CHF 1'234.–", "1234.00 CHF"),
        ("950,- €", "950.00 EUR"),
        ("2.300,-- EUR", "2300.00 EUR"),
        ("EUR 950", "950.00 EUR"),
        ("€1.500", "1500.00 EUR"),
        ("12.50 GBP", "12.50 GBP"),
        ("£45,000", "45000.00 GBP"),
        ("-12,50 €", "-12.50 EUR"),
        ("14.200 Euro", "14200.00 EUR"),
        ("£2.4 million", "2400000.00 GBP"),
        ("3 Mio. €", "3000000.00 EUR"),
        ("US$ 1,000,000.00", "1000000.00 USD"),
    ],
)
def test_amount_is_read(text: str, normalised: str) -> None:
    (amount,) = amounts.spot(text, amounts.Custom())
    assert (amount.value, amount.normalised) == (text, normalised)


@pytest.mark.parametrize("text", ["12.03.2024", "19 %", "10:30", "3", "2024-118", "1.2.3", "100 pages"])
def test_number_that_is_not_written_like_money_is_no_amount(text: str) -> None:
    assert amounts.spot(text, amounts.Custom()) == []
    assert amounts.plain_at_start(text) is None


def test_pieces_before_a_price_are_no_thousands_where_spaces_do_not_group() -> None:
    (amount,) = amounts.spot("Arbeitsstunden 3 450,00 €", amounts.custom_of("", "de"))
    assert amount.normalised == "450.00 EUR"


def test_dollar_is_american_unless_the_document_gives_reason_for_doubt() -> None:
    for text, code in (("Total $5.00", "USD"), ("Total $5.00 (CAD)", "$")):
        (amount,) = amounts.spot("$5.00", amounts.custom_of(text, "en"))
        assert amount.normalised == f"5.00 {code}"


@given(st.decimals(0, 10**9, places=2), st.sampled_from([(",", "."), (".", ","), (" ", ","), ("'", ".")]))
def test_every_amount_is_read_as_itself(number: object, marks: tuple[str, str]) -> None:
    thousands, cents = marks
    written = f"{number:,.2f}".replace(",", "\0").replace(".", cents).replace("\0", thousands)
    assert [amount.number for amount in amounts.spot(f"EUR {written}", amounts.Custom())] == [number]


@pytest.mark.parametrize(
    ("check", "good", "bad"),
    [
        (checks.is_iban, "DE89370400440532013000", "DE89370400440532013001"),
        (checks.is_iban, "FR1420041010050500013M02606", "FR1420041010050500013M0260"),
        (checks.is_vat_id, "DE136695976", "DE136695967"),
        (checks.is_vat_id, "FR40303265045", "FR41303265045"),
        (checks.is_vat_id, "ATU13585627", "ATU13585626"),
        (checks.is_spanish_tax_id, "12345678Z", "12345678A"),
        (checks.is_spanish_tax_id, "B58378431", "B58378430"),
        (checks.is_isbn, "9780306406157", "9780306406158"),
        (checks.is_isbn, "0306406152", "0306406153"),
    ],
    ids=["iban-de", "iban-fr", "vat-de", "vat-fr", "vat-at", "nif", "cif", "isbn13", "isbn10"],
)
def test_check_digits_tell_a_number_from_one_that_looks_like_it(check: object, good: str, bad: str) -> None:
    assert callable(check)
    assert check(good)
    assert not check(bad)


@pytest.mark.parametrize(
    ("value", "identifier"),
    [
        ("2024-118 vom 12.03.2024", "2024-118"),
        ("RE-2024/0815", "RE-2024/0815"),
        ("No. 4711", "4711"),
        ("12 C 345/24", "12 C 345/24"),
        ("812 345 678 00015", "812 345 678 00015"),
        ("HP 4471-2208", "HP 4471-2208"),
        ("118 12 March 2024", "118"),
        ("see page 3", ""),
        ("pending", ""),
    ],
)
def test_identifier_is_the_token_after_its_label(value: str, identifier: str) -> None:
    assert identifiers.after_label(value, "reference") == identifier


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Anna Berg, 12 High Street, London", "Anna Berg"),
        ("Herrn Karl-Heinz Brandt, Lindenallee 14", "Karl-Heinz Brandt"),
        ("Frau Dr. Petra Engel (Stadt)", "Dr. Petra Engel"),
        ("Monsieur Jean Dupont, demeurant 4 rue Foch", "Jean Dupont"),
        ("Dña. Lucía Romero Gil, mayor de edad", "Lucía Romero Gil"),
        ("M. Paul Weber, gérant", "Paul Weber"),
        ("D. Vicente Ferrer Soler, mayor de edad", "Vicente Ferrer Soler"),
        ("Mr D. Hollis", "D. Hollis"),
        ("M. Farrow", "M. Farrow"),
        ("M. et Mme Bertrand Lacroix", "Bertrand Lacroix"),
        ("Anna M. Berg of 8 Orchard Lane", "Anna M. Berg"),
        ("Foo Bar, Inc.", "Foo Bar, Inc."),
        ("Talleres Ruiz, S.L.", "Talleres Ruiz, S.L."),
        ("Godwin, David P", "Godwin, David P"),
        ("Ludwig van Beethoven", "Ludwig van Beethoven"),
        ("shall pay the rent", ""),
        ("4 Dock Road", ""),
        ("N/A", ""),
        ("", ""),
    ],
)
def test_name_is_cut_out_of_the_words_around_it(text: str, name: str) -> None:
    assert name_in(text) == name


def test_list_of_people_is_several_names() -> None:
    assert names_in("Helen Barlow (chair), Imran Siddiqui and Rosa Delgado; Peter Lowe") == [
        "Helen Barlow",
        "Imran Siddiqui",
        "Rosa Delgado",
        "Peter Lowe",
    ]
