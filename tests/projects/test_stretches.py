"""Neighbours come as one passage, nothing comes twice, and every character keeps its page."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projects.intake.chunking import chunks_of
from projects.intake.sections import SectionText
from projects.retrieval.fusion import Ranked
from projects.retrieval.passages import Passage, content_key
from projects.retrieval.stretches import GAP, LONGEST, Hit, gather
from tests.projects.test_duplicates import text

SECTION = 5


def passages(section: str, limit: int, page: int | None = 3, section_id: int = SECTION) -> list[Passage]:
    """Return a section's chunks as passages, as intake would cut them."""
    return [
        Passage(
            chunk_id=section_id * 1000 + ordinal,
            document_id=section_id,
            document="lease.pdf",
            opening=section[:40],
            ordinal=ordinal,
            page=chunk.page,
            heading=("Lease",),
            text=chunk.text,
            content_key=content_key(chunk.text),
            score=1.0,
            section_id=section_id,
            start=chunk.start,
        )
        for ordinal, chunk in enumerate(chunks_of([SectionText(("Lease",), page, section)], limit))
    ]


def uncut(section: str, section_id: int = 2) -> Passage:
    """Return a section that begins on page 1 as one passage, whatever its length."""
    first = passages(section, 1_000, page=1, section_id=section_id)[0]
    return replace(first, text=section, content_key=content_key(section))


def gathered(ranked: Sequence[Passage], sections: dict[int, str], limit: int = 5) -> list[Hit]:
    ranks = [Ranked(passage.chunk_id, rank, rank + 1) for rank, passage in enumerate(ranked, start=1)]
    return gather(zip(ranks, ranked, strict=True), limit, lambda ids: {pk: sections[pk] for pk in ids})


PAGES = f"First page. {text(30)}.\fSecond page. {text(30, 1)}.\f\fFourth page. {text(30, 2)}."


def test_chunks_next_to_each_other_come_as_one_passage_in_their_order() -> None:
    first, second, third = passages(PAGES, 400)[:3]

    hits = gathered([third, second, first], {SECTION: PAGES})

    assert [hit.passage.text for hit in hits] == [PAGES]
    assert (hits[0].passage.chunk_id, hits[0].passage.ordinal, hits[0].passage.start) == (first.chunk_id, 0, 0)
    assert (hits[0].words_rank, hits[0].meaning_rank) == (1, 2)
    assert hits[0].score == Ranked(1, 1, 2).score


def test_every_character_of_a_joined_passage_is_on_its_page() -> None:
    joined = gathered(passages(PAGES, 400), {SECTION: PAGES})[0].passage
    for words, page in [("First", 3), ("Second", 4), ("Fourth", 6)]:
        assert joined.page_at(joined.text.index(words)) == page


def test_chunks_with_something_between_them_stay_apart() -> None:
    section = text(300)
    first, _, third = passages(section, 1_000)[:3]
    assert [hit.passage.text for hit in gathered([third, first], {SECTION: section})] == [third.text, first.text]


def test_sections_are_not_joined() -> None:
    one, other = uncut(text(40), 1), uncut(text(40, 1), 2)
    assert len(gathered([one, other], {})) == 2


def test_neighbours_are_joined_up_to_a_length() -> None:
    section = text(800)
    chunks = passages(section, 1_000)
    hits = gathered(chunks[:4], {SECTION: section})
    assert len(hits) == 2
    assert all(len(hit.passage.text) <= LONGEST + 2 for hit in hits)


def test_as_many_passages_come_as_were_asked_for_and_the_best() -> None:
    sections = {number: text(40, number) for number in range(1, 9)}
    ranked = [uncut(section, number) for number, section in sections.items()]
    hits = gathered(ranked, sections, limit=3)
    assert [hit.passage.document_id for hit in hits] == [1, 2, 3]


def test_a_near_duplicate_takes_no_place() -> None:
    ranked = [uncut(text(40), number) for number in (1, 2, 3)]
    other = uncut(text(40, 1), 4)
    assert [hit.passage.document_id for hit in gathered([*ranked, other], {}, limit=2)] == [1, 4]


def test_the_same_paragraph_through_two_chunkings_comes_once() -> None:
    """The same letter as two files of different layout: its chunks begin at different words."""
    letter = "\n\n".join(text(70, seed) for seed in range(6))
    shifted = f"{text(45, 99)}\n\n{letter}"
    one, other = passages(letter, 1_000, section_id=1), passages(shifted, 1_000, section_id=2)
    ranked = [passage for pair in zip(one, other, strict=False) for passage in pair]

    hits = gathered(ranked, {1: letter, 2: shifted}, limit=20)

    shown = " ".join(hit.passage.text for hit in hits).split()
    assert {shown.count(word) for word in shifted.split()} == {1}


def test_what_is_left_out_in_the_middle_is_marked_and_leaves_its_page_breaks() -> None:
    known = text(60)
    section = f"First page. {text(60, 1)}.\f{known}.\fThird page. {text(60, 2)}."
    whole = uncut(section)
    before = uncut(known, section_id=1)

    passage = gathered([before, whole], {})[1].passage

    assert known not in passage.text
    assert GAP in passage.text
    assert passage.page_at(passage.text.index("First")) == 1
    assert passage.page_at(passage.text.index("Third")) == 3


def test_what_is_left_out_at_the_beginning_moves_the_page() -> None:
    known = text(60)
    section = f"{known}\fSecond page. {text(60, 1)}."
    whole = uncut(section)
    passage = gathered([uncut(known, section_id=1), whole], {})[1].passage
    assert passage.text.startswith("Second page.")
    assert (passage.page, passage.start) == (2, section.index("Second"))


@pytest.mark.parametrize("page", [None, 1])
def test_a_format_without_pages_has_none_after_joining_either(page: int | None) -> None:
    section = text(200)
    hits = gathered(passages(section, 1_000, page=page), {SECTION: section})
    assert {hit.passage.page_at(10) for hit in hits} == {page}


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_every_passage_is_its_place_in_the_section_whatever_the_order(data: st.DataObject) -> None:
    separators = st.sampled_from([" ", "\n\n", "\f", ". "])
    section = "".join(text(12, seed) + data.draw(separators) for seed in range(12)).strip()
    chunks = passages(section, data.draw(st.integers(60, 400)), page=1)
    ranked = data.draw(st.permutations(chunks))
    hits = gathered(ranked, {SECTION: section}, limit=len(chunks))

    for hit in hits:
        passage = hit.passage
        assert section[passage.start : passage.start + len(passage.text)] == passage.text
        assert passage.page == 1 + section.count("\f", 0, passage.start)
    shown = "".join("".join(hit.passage.text.split()) for hit in sorted(hits, key=lambda hit: hit.passage.start))
    assert shown == "".join(section.split())
