"""Marking the words of a question in a passage, and choosing the excerpt that shows most of them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from projects.folding import folded_letters
from projects.presentation.quotes import Span
from projects.retrieval.stopwords import STOP_WORDS

EXCERPT = 320
"""Characters of a passage that a hit shows."""
LEAST_STEM = 3

_WORD = re.compile(r"\w+")
_ENDINGS = ("ingly", "edly", "ings", "ies", "ing", "ed", "es", "en", "er", "ly", "s", "e", "y")
_SPACE = re.compile(r"\s")
_NEAR = 24
"""Characters by which an excerpt may be longer at either end, so as not to cut a word."""


@dataclass(frozen=True)
class Run:
    """A stretch of text, marked or not."""

    text: str
    marked: bool = False


def marks(text: str, question: str) -> list[Span]:
    """Return where the telling words of `question` stand in `text`, in any of their usual endings."""
    wanted = telling_stems(question)
    return [Span(match.start(), match.end()) for match in _WORD.finditer(text) if stem(match.group()) in wanted]


def telling_stems(question: str) -> frozenset[str]:
    """Return the stems of the question's words, without those that say nothing unless there are no others."""
    words = [word.lower() for word in _WORD.findall(unicodedata.normalize("NFKC", question))]
    telling = [word for word in words if word not in STOP_WORDS and len(word) > 1] or words
    return frozenset(map(stem, telling))


def stem(word: str) -> str:
    """Return what the forms of a word share, roughly as the word index takes it: 'leases', 'Lease' and 'leased'.

    It decides about a colour only, so a word too many or too few does no harm.
    """
    plain = folded_letters(word)
    if not plain.isalpha():
        return plain
    for ending in _ENDINGS:
        if plain.endswith(ending) and len(plain) - len(ending) >= LEAST_STEM:
            plain = plain.removesuffix(ending)
            break
    return plain[:-1] if len(plain) > LEAST_STEM and plain[-1] == plain[-2] and plain[-1] not in "sl" else plain


def excerpt(text: str, found: Sequence[Span], width: int = EXCERPT) -> list[Run]:
    """Return the stretch of about `width` characters that holds most marks; '…' stands for what is left out."""
    start, end = _window(text, found, width)
    cut = runs(text, found, start, end)
    before = [Run("… ")] if text[:start].strip() else []
    after = [Run(" …")] if text[end:].strip() else []
    return [*before, *cut, *after]


def runs(text: str, found: Sequence[Span], start: int = 0, end: int | None = None) -> list[Run]:
    """Cut text[start:end] at the marks, which are in order; none of it is lost."""
    cut: list[Run] = []
    at, stop = start, len(text) if end is None else end
    for span in found:
        first, last = max(span.start, at), min(span.end, stop)
        if last > first:
            cut += [Run(text[at:first]), Run(text[first:last], marked=True)]
            at = last
    cut.append(Run(text[at:stop]))
    return [run for run in cut if run.text]


def _window(text: str, found: Sequence[Span], width: int) -> tuple[int, int]:
    if len(text) <= width:
        return 0, len(text)
    start = max(
        (span.start for span in found),
        key=lambda first: (sum(first <= span.start and span.end <= first + width * 3 // 4 for span in found), -first),
        default=0,
    )
    start = min(max(0, start - width // 8), len(text) - width)
    return _word_start(text, start), _word_end(text, min(start + width, len(text)))


def _word_start(text: str, at: int) -> int:
    """Return `at`, or a little earlier where a word begins."""
    spaces = [match.end() for match in _SPACE.finditer(text, max(0, at - _NEAR), at)]
    return spaces[-1] if spaces else at


def _word_end(text: str, at: int) -> int:
    """Return `at`, or a little later where a word ends."""
    space = _SPACE.search(text, at, at + _NEAR)
    return space.start() if space else at
