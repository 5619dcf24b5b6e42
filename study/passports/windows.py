"""Chooses the part of a document that the rules look at, so that their time does not grow with its length.

Looked at are the first BEGINNING characters, the last END characters, and between them the first OPENING characters of
each section that a heading begins, up to MIDDLE sections: what a document says about itself stands at its beginning,
at its end (signatures, totals), and right under headings. A document of some ten pages is seen whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from study.passports.values import Section

BEGINNING = 20_000
END = 6_000
OPENING = 400
MIDDLE = 30
MAX_LINE = 4_000
"""A longer line, a whole book without line ends say, is cut: the rest is looked at as lines of their own."""


# A line drawn with characters, as under the header of a Markdown table.
_RULE = re.compile(r"[|:\-=_*+ \u2500-\u257f]+")


@dataclass(frozen=True)
class Line:
    """A line with something in it. `after_gap`: an empty line, a page break or a cut in the text comes before it."""

    text: str
    page: int | None
    after_gap: bool = True


@dataclass(frozen=True)
class _Stretch:
    """A part of a section that is looked at, with the page on which it begins."""

    text: str
    page: int | None


def lines_of(sections: Sequence[Section]) -> list[Line]:
    """Return the lines that the rules look at, in the order of the document."""
    return [line for stretch in _stretches(sections) for line in _lines(stretch)]


def last_page(sections: Sequence[Section]) -> int | None:
    """Return the last page with text, None for a document without pages."""
    ends = [section.page_start + section.text.count("\f") for section in sections if section.page_start is not None]
    return max(ends, default=None)


def _stretches(sections: Sequence[Section]) -> Iterator[_Stretch]:
    total = sum(len(section.text) for section in sections)
    end_begins = max(BEGINNING, total - END)
    middles = 0
    passed = 0
    for section in sections:
        length = len(section.text)
        head = max(0, min(length, BEGINNING - passed))
        tail = min(length, max(head, end_begins - passed))
        if head == 0 and tail == length and section.heading and middles < MIDDLE:
            middles += 1
            head = min(length, OPENING)
        if head:
            yield _Stretch(section.text[:head], section.page_start)
        if tail < length:
            yield _Stretch(section.text[tail:], _page_at(section, tail))
        passed += length


def _page_at(section: Section, offset: int) -> int | None:
    return None if section.page_start is None else section.page_start + section.text.count("\f", 0, offset)


def _lines(stretch: _Stretch) -> Iterator[Line]:
    page = stretch.page
    for number, sheet in enumerate(stretch.text.split("\f")):
        after_gap = True
        for raw in sheet.split("\n"):
            text = raw.replace("**", "").strip()
            if not text or _RULE.fullmatch(text):
                after_gap = True
                continue
            for start in range(0, len(text), MAX_LINE):
                yield Line(text[start : start + MAX_LINE], None if page is None else page + number, after_gap)
                after_gap = False
