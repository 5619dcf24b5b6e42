"""Tests that a passport takes bounded time and looks where documents say what they are, whatever the file holds."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projects.intake.sections import SectionText
from study.passports.finding import find
from study.passports.values import Kind
from study.passports.windows import BEGINNING, END, MIDDLE, OPENING, lines_of

SIZE = 2_000_000
SECONDS = 2.0
"""Far above what it takes, and far below what a pattern that backtracks would."""

# Each is the beginning of many things and the end of none.
UNITS = [
    "a", "1", ": ", "Rent: ", "1.", "1 ", "12/03/2024 ", "1.234,56 € ", "a,", "AA ", "Ab ", '"', "(", 'the "Landlord" ',
    "between A and ", "a | b | ", "a\n", "Rent\n", "DE89 3704 ", "- ", "nachfolgend a a ", "a-", "1/2/", "\f",
    "number ", "policy number ", "ß€", "l'", "march ", "a@", "§ 1 ", "5% ", "N1", "Foo GmbH & ", "premises at at ",
    "sita en ", "registration number ", "\t", " ", "Dear \n", "aircraft pilot N1234A ", "1 A 1/1 ", "(a)", "ISBN 978-",
    "10.1000/",
]  # fmt: skip


def seconds(sections: list[SectionText]) -> float:
    start = time.process_time()
    find("file.txt", sections)
    return time.process_time() - start


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_two_megabytes_on_a_line_take_no_time(unit: str) -> None:
    text = (unit * (SIZE // len(unit) + 1))[:SIZE]
    assert seconds([SectionText((), 1, text)]) < SECONDS


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(UNITS), min_size=1, max_size=6), st.integers(1, 3000))
def test_any_mixture_takes_no_time(units: list[str], count: int) -> None:
    assert seconds([SectionText(("Heading",), 1, ("".join(units) * count)[:60_000])]) < SECONDS


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=300), max_size=8), st.text(max_size=30))
def test_any_text_gives_a_passport(texts: list[str], name: str) -> None:
    result = find(name, [SectionText((text[:20],), index + 1, text) for index, text in enumerate(texts)])
    assert result.type
    assert all(field.value.strip() and len(field.value) <= 300 and len(field.label) <= 80 for field in result.fields)


def test_of_a_long_document_only_parts_are_looked_at() -> None:
    sections = [SectionText((f"Part {number}",), None, f"Part {number}\n\n" + "word " * 1000) for number in range(400)]
    looked_at = sum(len(line.text) for line in lines_of(sections))
    assert looked_at <= BEGINNING + END + MIDDLE * OPENING


def test_beginning_end_and_what_stands_under_a_heading_are_seen_with_their_pages() -> None:
    filler = "Nothing is said here that matters to anybody. " * 200
    sections = [SectionText((), 1, "Landlord: Ann Lee\n\n" + filler)]
    sections += [SectionText((f"{page}. Part",), page, filler) for page in range(2, 40)]
    sections[20] = SectionText(("21. Deposit",), 21, f"Deposit: £700.00\n\n{filler}")
    sections.append(SectionText(("End",), 40, f"{filler}\n\n\fSigned on 3 May 2023"))
    fields = {field.label: (field.value, field.page) for field in find("lease.txt", sections).fields}
    assert fields["Landlord"] == ("Ann Lee", 1)
    assert fields["Deposit"] == ("£700.00", 21)
    assert fields["Signed on"] == ("3 May 2023", 41)


def test_contents_of_a_long_document_come_from_all_of_it() -> None:
    sections = [SectionText((f"Chapter {number}", "Part"), number, "word " * 1200) for number in range(1, 31)]
    contents = find("book.txt", sections).contents
    assert [entry.text for entry in contents if entry.depth == 1][-1] == "Chapter 20"
    assert len(contents) == 40


def test_headings_come_in_their_order_each_with_the_page_of_its_line() -> None:
    text = "Handbook\n\nFirst steps\n\nUnpack it and read the rest of this."
    text += "\n\fSecond part\n\nPlug it in and wait for an hour."
    inner = "Deeper\n\nPress the button and hold it for as long as it takes."
    sections = [SectionText(("Handbook",), 1, text), SectionText(("Handbook", "Second part", "Deeper"), 3, inner)]
    contents = find("a.txt", sections).contents
    assert [(entry.text, entry.page) for entry in contents] == [
        ("Handbook", 1),
        ("First steps", 1),
        ("Second part", 2),
        ("Deeper", 3),
    ]


def test_pages_are_counted_where_nobody_says_how_many() -> None:
    sections = [SectionText((), 1, "one\ftwo\fthree")]
    assert find("a.pdf", sections).pages == 3
    assert find("a.pdf", sections, 5).pages == 5
    assert find("a.txt", [SectionText((), None, "one")]).pages is None


def test_page_of_each_value_is_where_it_stands() -> None:
    fields = find("a.pdf", [SectionText((), 4, "Rent: £5.00\f\fDeposit: £7.00")]).fields
    assert [(field.value, field.page) for field in fields if field.kind == Kind.AMOUNT] == [("£5.00", 4), ("£7.00", 6)]
