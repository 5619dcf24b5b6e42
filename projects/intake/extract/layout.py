"""Making paragraphs and headings of the lines of a printed page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise, zip_longest

from projects.intake.extract.base import Block

HEADING_RATIO = 1.12
"""A heading is set this much larger than the line below it."""
MAX_HEADING = 120
MAX_HEADING_LINES = 2
HEADING_LEVELS = 3
SOFT_HYPHEN = "\u00ad"
"""Stands for a hyphen that may only part a word at a line's end."""

SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’»)\]]*$")
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True)
class Line:
    """A line with its type size in points, 0 if unknown; `wraps`: known to go on below; `alone`: known not to."""

    text: str
    size: float = 0.0
    wraps: bool = False
    alone: bool = False


@dataclass(frozen=True)
class Page:
    """The lines of a page in reading order; `number` counts from 1."""

    number: int
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class _Run:
    """Neighbouring lines of one page in one size."""

    page: int
    size: float
    lines: tuple[Line, ...]
    is_heading: bool = False


def parted(text: str) -> str:
    """Return a line with a hyphen at its end, if there is one behind a letter, as one that may part a word."""
    return text[:-1] + SOFT_HYPHEN if text.endswith("-") and text[-2:-1].isalpha() else text


def blocks_of(pages: Sequence[Page]) -> Iterator[Block]:
    """Yield the pages' headings and what stands between them, no line lost."""
    repeated = _repeated_lines(pages)
    runs = [run for page in pages for run in _runs(page, repeated)]
    levels = _levels(runs)
    for (page, heading), group in groupby(runs, key=lambda run: (run.page, run.is_heading)):
        if heading:
            for run in group:
                yield Block(_joined([line.text for line in run.lines], " "), page, levels[run.size])
        else:
            yield Block(_paragraphs([line for run in group for line in run.lines]), page)


def _runs(page: Page, repeated: frozenset[str]) -> list[_Run]:
    """Cut a page where the type size changes, and tell which pieces are headings."""
    runs = [_Run(page.number, size, tuple(lines)) for size, lines in groupby(page.lines, key=lambda line: line.size)]
    return [
        replace(run, is_heading=_is_heading(run, below, repeated))
        for run, below in zip_longest(runs, runs[1:])
        if run is not None
    ]


def _is_heading(run: _Run, below: _Run | None, repeated: frozenset[str]) -> bool:
    if below is None or len(run.lines) > MAX_HEADING_LINES or min(run.size, below.size) <= 0:
        return False
    if run.size < HEADING_RATIO * below.size:
        return False
    last = run.lines[-1].text
    short = sum(len(line.text) for line in run.lines) <= MAX_HEADING
    return short and not last.endswith((".", ",", ";")) and _pattern(last) not in repeated


def _levels(runs: Sequence[_Run]) -> dict[float, int]:
    """Return the level of each size that headings have: the largest is 1."""
    sizes = sorted({run.size for run in runs if run.is_heading}, reverse=True)
    return {size: min(index, HEADING_LEVELS) for index, size in enumerate(sizes, start=1)}


def _repeated_lines(pages: Sequence[Page]) -> frozenset[str]:
    """Return the patterns of page headers and footers: first or last lines of most pages, page numbers aside."""
    edges: Counter[str] = Counter()
    for page in pages:
        edges.update({_pattern(line.text) for line in (*page.lines[:1], *page.lines[-1:])})
    return frozenset(pattern for pattern, count in edges.items() if count >= 2 and count >= len(pages) / 2)


def _pattern(text: str) -> str:
    return _DIGITS.sub("#", text.strip())


def _paragraphs(lines: Sequence[Line]) -> str:
    """Join lines that were only wrapped; every other line stays one."""
    width = max(len(line.text) for line in lines)
    text = lines[0].text
    for before, line in pairwise(lines):
        if text.endswith(SOFT_HYPHEN):
            text += line.text
        elif before.wraps or (not before.alone and not line.alone and _goes_on(before.text, line.text, width)):
            text += " " + line.text
        else:
            text += "\n" + line.text
    return _joined([text], "")


def _goes_on(line: str, following: str, width: int) -> bool:
    """Tell whether a long line without an end goes on in the next one, which begins in lower case."""
    return len(line) >= 0.75 * width and following[:1].islower() and not SENTENCE_END.search(line)


def _joined(texts: Sequence[str], gap: str) -> str:
    """Join texts without the hyphens that part words; beside capitals or digits they belong to the word: 'IO-470'."""
    text = gap.join(part.strip() for part in texts)
    return re.sub(rf"(?<=[^\W\d_]){SOFT_HYPHEN}(?=[^\W\d_])", _hyphen, text).replace(SOFT_HYPHEN, "-")


def _hyphen(match: re.Match[str]) -> str:
    before, after = match.string[match.start() - 1], match.string[match.end()]
    return "" if before.islower() and after.islower() else "-"
