"""The digest grows at its end, and becomes levels before it outgrows the window."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from study.digests import Entry, Level, arranged, brief_facts, condensed, is_due, level_for, shown

WINDOW = 16_384


def entry(number: int, summary: str = "A lease of a flat. The rent is 950 EUR.") -> Entry:
    """Return a document's entry."""
    facts = "; ".join(f"Party {party}: Somebody {number}" for party in range(8))
    return Entry(number, f"key-{number}", f"lease-{number:03}.pdf", "lease", 4, facts, summary * 4)


ENTRIES = st.lists(st.integers(1, 40), unique=True, max_size=25).map(lambda ids: [entry(number) for number in ids])


@given(ENTRIES, ENTRIES)
def test_what_stays_keeps_its_place_and_what_is_new_comes_last(old: list[Entry], fresh: list[Entry]) -> None:
    made = arranged(old, fresh)
    known = {item.document_id for item in old}
    there = {item.document_id for item in fresh}
    assert [item.document_id for item in made if item.document_id in known] == [
        item.document_id for item in old if item.document_id in there
    ]
    assert [item for item in made if item.document_id not in known] == [
        item for item in fresh if item.document_id not in known
    ]
    assert sorted(item.document_id for item in made) == sorted(there)


@given(ENTRIES, st.integers(41, 60), st.sampled_from([Level.FULL, Level.LINES]))
def test_a_new_document_only_appends_to_what_the_model_reads(old: list[Entry], new: int, level: Level) -> None:
    before = shown(old, level)
    after = shown(arranged(old, [entry(new), *reversed(old)]), level)
    assert after[: len(before)] == before
    assert len(after) == len(before) + 1


def test_a_corrected_passport_changes_its_own_entry_and_no_place() -> None:
    old = [entry(1), entry(2), entry(3)]
    made = arranged(old, [old[0], replace(old[1], facts="Tenant: Ada"), old[2]])
    assert [item.document_id for item in made] == [1, 2, 3]
    assert "Tenant: Ada" in shown(made, Level.FULL)[1]


def _tokens(texts: list[str]) -> int:
    return sum(len(text) for text in texts) // 4


def test_nine_documents_are_told_in_full_and_two_hundred_in_lines() -> None:
    for count, expected in ((9, Level.FULL), (200, Level.LINES)):
        entries = [entry(number) for number in range(count)]
        full, lines = (_tokens(shown(entries, level)) for level in (Level.FULL, Level.LINES))
        level = level_for(full, lines, WINDOW)
        assert level is expected
        assert _tokens(shown(entries, level)) <= WINDOW // 2


def test_where_not_even_lines_fit_the_types_are_counted() -> None:
    entries = [replace(entry(number), type="lease" if number % 3 else "invoice") for number in range(2_000)]
    full, lines = (_tokens(shown(entries, level)) for level in (Level.FULL, Level.LINES))
    assert level_for(full, lines, WINDOW) is Level.TYPES
    assert shown(entries, Level.TYPES) == ["2000 documents: 1333 × lease, 667 × invoice.\n\n"]


@given(st.integers(0, 40_000), st.integers(0, 40_000), st.integers(2_048, 32_768))
def test_a_level_is_chosen_that_fits_if_one_does(full: int, lines: int, window: int) -> None:
    taken = {Level.FULL: full, Level.LINES: lines, Level.TYPES: 0}[level_for(full, lines, window)]
    assert taken <= window // 2


def test_a_passport_is_cut_at_a_line_and_never_within_a_value() -> None:
    facts = [(f"Amount {number}", f"{number * 100}.00 EUR") for number in range(1, 60)]
    told = brief_facts(facts, "", 6_000)
    assert len(told) <= 180
    assert all(part == f"Amount {number}: {number * 100}.00 EUR" for number, part in enumerate(told.split("; "), 1))
    assert brief_facts(facts, "", 0)  # a tiny document has a passport too


def test_a_long_summary_is_told_with_its_beginning_and_its_end() -> None:
    summary = "It is a report. " + "The pilot saw much. " * 40 + "The cause was ice."
    told = condensed(summary, 100)
    assert told.startswith("It is a report. The pilot")
    assert told.endswith("The cause was ice.")
    assert len(told) <= 100
    assert condensed("It is a report. The cause was ice.", 10) == "It is a report. The cause was ice."


def test_what_the_summary_tells_is_not_told_twice() -> None:
    facts = [("Registration", "N1234A"), ("Tenant", "Ada Lovelace"), ("Rent", "950 EUR")]
    assert brief_facts(facts, "A lease to Ada Lovelace for 950 EUR.", 5_000) == "Registration: N1234A"


@pytest.mark.parametrize(
    ("waiting", "known", "told", "current", "due"),
    [
        (0, 1, 0, False, True),
        (0, 9, 9, True, False),
        (0, 0, 0, False, False),
        (0, 0, 3, False, True),
        (8, 1, 0, False, False),
        (4, 5, 0, False, True),
        (4, 9, 5, False, False),
        (1, 10, 5, False, True),
    ],
    ids=["all read", "nothing new", "nothing", "all removed", "too early", "the first", "not doubled", "doubled"],
)
def test_a_digest_is_made_when_that_pays(waiting: int, known: int, told: int, current: bool, due: bool) -> None:
    assert is_due(waiting, known, told, current=current) is due


def test_two_hundred_documents_that_come_one_by_one_make_few_digests() -> None:
    told, made = 0, 0
    for known in range(1, 201):
        if is_due(200 - known, known, told, current=False):
            told, made = known, made + 1
    assert (told, made) == (200, 7)
