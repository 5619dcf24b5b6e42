"""Lines of printed pages: headings by their size beside what follows, wrapped lines joined, nothing lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract.layout import SOFT_HYPHEN, Line, Page, blocks_of


def page(*lines: tuple[str, float], number: int = 1) -> Page:
    return Page(number, tuple(Line(text, size) for text, size in lines))


def headings(*pages: Page) -> list[tuple[int, str]]:
    return [(block.level, block.text) for block in blocks_of(pages) if block.level]


def test_a_heading_is_larger_than_what_follows_even_if_other_text_is_as_large() -> None:
    prose = [(f"line {number} of a summary in large type", 12.0) for number in range(5)]
    table = [(f"field {number}", 9.0) for number in range(9)]

    found = headings(page(("Analysis", 15), *prose), page(("Pilot Information", 12), *table, number=2))

    assert found == [(1, "Analysis"), (2, "Pilot Information")]


def test_a_title_on_two_lines_is_one_heading() -> None:
    assert headings(page(("National Board", 18), ("Final Report", 18), ("text", 10))) == [
        (1, "National Board Final Report")
    ]


def test_page_headers_are_no_headings_though_they_are_larger() -> None:
    pages = [page((f"Page {n} of 3", 11), (f"text {n}", 9), number=n) for n in (1, 2, 3)]

    assert headings(*pages) == []


def test_pages_without_type_sizes_have_no_headings() -> None:
    assert headings(page(("Title", 0), ("text", 0))) == []


@pytest.mark.parametrize(
    ("upper", "lower", "text"),
    [
        (f"the air{SOFT_HYPHEN}", "plane", "the airplane"),
        (f"a Continental IO{SOFT_HYPHEN}", "470-E", "a Continental IO-470-E"),
        (f"the F{SOFT_HYPHEN}", "BVIF", "the F-BVIF"),
    ],
)
def test_a_hyphen_that_parts_a_word_goes_and_one_in_an_identifier_stays(upper: str, lower: str, text: str) -> None:
    (block,) = blocks_of([page((upper, 10), (lower, 10))])

    assert block.text == text


lines = st.tuples(
    st.text(alphabet="abC. 1", min_size=1, max_size=30).filter(str.strip), st.sampled_from([0.0, 9.0, 12.0])
)


@given(st.lists(st.lists(lines, max_size=8), max_size=4))
def test_all_lines_come_out_in_order_on_their_page(drawn: list[list[tuple[str, float]]]) -> None:
    pages = [page(*rows, number=number) for number, rows in enumerate(drawn, start=1)]

    blocks = list(blocks_of(pages))

    for number, rows in enumerate(drawn, start=1):
        read = "".join("".join(block.text.split()) for block in blocks if block.page == number)
        assert read == "".join("".join(text.split()) for text, _ in rows)
