"""Sections and chunks: nothing lost, order kept, bounds held, pages right."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake import splitting
from projects.intake.chunking import CHUNK_LIMIT, chunks_of
from projects.intake.extract import Block
from projects.intake.sections import SECTION_LIMIT, SectionText, sections_of
from projects.intake.splitting import split

# Small alphabets make the interesting cases (breaks next to each other, no breaks at all) likely.
texts = st.text(alphabet="ab. \n\f", max_size=400)


def bare(*pieces: str) -> str:
    return "".join("".join(piece.split()) for piece in pieces)


@st.composite
def documents(draw: st.DrawFn) -> list[Block]:
    """Blocks in page order, some of them headings."""
    body = st.text(alphabet="ab. \n", min_size=1, max_size=200).filter(lambda text: text.strip() != "")
    rows = draw(st.lists(st.tuples(body, st.integers(0, 2), st.integers(0, 3)), max_size=12))
    page = 1
    blocks = []
    for text, turned, level in rows:
        page += turned
        blocks.append(Block(text.strip(), page, level))
    return blocks


@given(texts, st.integers(5, 60))
def test_pieces_hold_all_of_a_text_in_order_and_none_is_too_long(text: str, limit: int) -> None:
    pieces = list(split(text, limit))

    assert bare(*(piece.text for piece in pieces)) == bare(text)
    assert all(0 < len(piece.text) <= limit for piece in pieces)
    assert all(text[piece.start : piece.start + len(piece.text)] == piece.text for piece in pieces)


@given(documents(), st.integers(20, 120))
def test_sections_hold_all_blocks_in_order_within_their_bound(blocks: list[Block], limit: int) -> None:
    sections = sections_of(blocks, limit)

    assert bare(*(section.text for section in sections)) == bare(*(block.text for block in blocks))
    assert all(len(section.text) <= limit for section in sections)


@given(documents())
def test_every_block_is_found_on_its_own_page(blocks: list[Block]) -> None:
    marked = [Block(f"<{index}>{block.text}", block.page, block.level) for index, block in enumerate(blocks)]

    sections = sections_of(marked, 1_000)

    for index, block in enumerate(marked):
        section = next(section for section in sections if f"<{index}>" in section.text)
        assert section.page_at(section.text.index(f"<{index}>")) == block.page


@given(documents(), st.integers(10, 60))
def test_a_chunk_is_a_stretch_of_its_section_and_knows_its_page(blocks: list[Block], limit: int) -> None:
    sections = sections_of(blocks, 300)

    for chunk in chunks_of(sections, limit):
        section = sections[chunk.section]
        assert section.text[chunk.start : chunk.start + len(chunk.text)] == chunk.text
        assert chunk.page == section.page_at(chunk.start)


def test_two_megabytes_on_one_line_stay_within_the_bounds() -> None:
    sections = sections_of([Block("x" * 2_000_000)])
    chunks = chunks_of(sections)

    assert max(len(section.text) for section in sections) <= SECTION_LIMIT
    assert max(len(chunk.text) for chunk in chunks) <= CHUNK_LIMIT
    assert sum(len(chunk.text) for chunk in chunks) == 2_000_000


def test_a_text_is_cut_between_sentences_rather_than_within_one() -> None:
    text = "The rent is 900 euros a month. " * 10

    pieces = [piece.text for piece in split(text, 100)]

    assert all(piece.endswith("month.") for piece in pieces)


def test_a_new_page_begins_a_new_chunk_when_the_old_one_has_some_size() -> None:
    section = SectionText((), 1, "and " * 125 + "\f" + "but " * 110)

    chunks = chunks_of([section], 1_000)

    assert [(chunk.page, chunk.text[0]) for chunk in chunks] == [(1, "a"), (2, "b")]


def test_a_text_without_spaces_is_cut_between_its_sentences() -> None:
    pieces = [piece.text for piece in split("家賃は月額九万円とする。" * 20, 100)]

    assert all(piece.endswith("。") for piece in pieces)


def test_a_long_text_is_looked_at_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at = 0
    real = splitting._last_place

    def counting(place: re.Pattern[str], text: str, first: int, last: int) -> int:
        nonlocal looked_at
        looked_at += max(last - first, 0)
        return real(place, text, first, last)

    monkeypatch.setattr(splitting, "_last_place", counting)
    one_line = [Block("x" * 2_000_000)]
    many = [Block(f"Paragraph {number} says little.") for number in range(10_000)]

    for blocks in (one_line, many):
        looked_at = 0
        chunks_of(sections_of(blocks))
        assert looked_at <= 5 * sum(len(block.text) for block in blocks)


def test_sections_carry_the_path_of_their_headings() -> None:
    filler = "words " * 300
    blocks = [Block("Lease", level=1), Block("Rent", level=2), Block(filler), Block("Deposit", level=2), Block(filler)]

    headings = [section.heading for section in sections_of(blocks)]

    assert headings == [("Lease",), ("Lease", "Deposit")]


@pytest.mark.parametrize("level", [1, 2])
def test_a_form_with_a_heading_on_every_line_stays_in_one_section(level: int) -> None:
    blocks = [Block(text, level=at) for n in range(20) for text, at in ((f"Field {n}", level), ("value", 0))]

    assert len(sections_of(blocks)) == 1
