"""Tests of the HTML that answers become: marks are links, and nothing in an answer can act on the page."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.presentation.markdown import Link, render

LINKS = {
    1: Link("/documents/7/source/?citation=1#quote", 'lease.pdf, page 3: "The rent" <is>'),
    2: Link("/documents/8/source/?citation=2#quote"),
}
ADDRESSES = {link.address for link in LINKS.values()}


def test_a_mark_links_to_its_citation() -> None:
    html = render("The rent is 900 [1].", LINKS)
    assert '<a href="/documents/7/source/?citation=1#quote" class="cite"' in html


def test_a_mark_shows_what_it_rests_on_when_one_points_at_it() -> None:
    html = render("The rent is 900 [1].", LINKS)
    assert re.search(r'title="lease.pdf, page 3: &quot;The rent&quot; (&lt;|<)is(&gt;|>)">1</a>', html)


@pytest.mark.parametrize("text", ["Both say so [1, 2].", "Both say so [1][2]."])
def test_marks_side_by_side_are_all_linked(text: str) -> None:
    assert re.findall(r'class="cite"[^<]*?>(\d)<', render(text, LINKS)) == ["1", "2"]


def test_a_mark_without_a_citation_stays_text() -> None:
    assert "[9]" in render("As in [9].", LINKS)
    assert "<a" not in render("As in [9].", LINKS)


def test_a_mark_inside_code_stays_code() -> None:
    assert render("`list[1]`", LINKS) == "<p><code>list[1]</code></p>\n"


def test_tables_and_lists_are_shown_as_such() -> None:
    html = render("| Item | Cost |\n|---|---|\n| Rent | 900 |\n\n- one\n- two", {})
    assert "<td>900</td>" in html
    assert html.count("<li>") == 2


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        '<img src=x onerror="alert(1)">',
        "[click](javascript:alert(1))",
        "![pixel](https://elsewhere.example/?q=secret)",
        "<a href='https://elsewhere.example'>here</a>",
    ],
)
def test_nothing_in_an_answer_can_act_or_call_out(text: str) -> None:
    html = render(text, LINKS)
    assert not re.search(r"<(script|img|a)\b", html)


def test_a_link_shows_where_it_would_lead() -> None:
    html = render("See [the offer](https://elsewhere.example/x).", LINKS)
    assert html == "<p>See the offer (https://elsewhere.example/x).</p>\n"


@given(st.text(alphabet=st.sampled_from(list("<>\"'&[]()!`*_|\n -1aé:/#\\"))))
def test_whatever_the_text_only_our_own_links_come_out(text: str) -> None:
    html = render(text, LINKS)
    assert set(re.findall(r'href="([^"]*)"', html)) <= {target.replace("&", "&amp;") for target in ADDRESSES}
    assert not re.search(r"<(script|img|iframe|svg|style|form|input)\b", html)
