"""Finding what a passage says again, by its words alone: case, spacing, line breaks and punctuation do not count.

A word has been said if it is part of a shingle, a run of `SHINGLE` words, that stands in a passage chosen before.

1. A passage is a near-duplicate, and left out, if at least `NEAR` of its words have been said; but it stays, and stays
   whole, if one of the others has a figure: two invoices that differ in nothing but the amount are two passages.
2. From any other passage, runs of at least `RUN` said words are cut out (the same paragraph in another chunking), if
   what is left is mostly new. Otherwise it stays whole: a form filled in differently is no form without its questions.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

SHINGLE = 5
"""Words. Shorter runs are shared by texts that have nothing to do with each other ('at the time of the')."""
NEAR = 0.8
"""Share of words. The same page by OCR that gets every eighth word wrong has seven of eight; a fifth more is news."""
RUN = 30
"""Words, a short paragraph. Headings and lines that every page repeats are shorter and stay where they are."""
NEW = 0.5
"""Share of new words from which on the rest can stand without what is cut out."""

# Languages without spaces: each character is a word.
_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[^\W_\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+")


@dataclass(frozen=True)
class Cut:
    """A stretch of a text, from `start` up to `end`."""

    start: int
    end: int


class _Word(NamedTuple):
    text: str
    start: int
    end: int


class Said:
    """What the passages chosen so far say."""

    def __init__(self) -> None:
        self._shingles: set[tuple[str, ...]] = set()

    def add(self, text: str) -> None:
        """Take a text as said."""
        self._shingles.update(_shingles([word.text for word in _words(text)]))

    def new_in(self, text: str) -> list[Cut]:
        """Return the stretches of a text to keep, in order: one as a rule, none for a near-duplicate."""
        words = list(_words(text))
        said = self._flags([word.text for word in words])
        if not any(said):
            return [Cut(0, len(text))]
        fresh = [word for word, known in zip(words, said, strict=True) if not known]
        if sum(said) >= NEAR * len(words):
            return [Cut(0, len(text))] if any(_is_figure(word.text) for word in fresh) else []
        kept = list(_outside(_runs(said), len(words)))
        left = sum(end - start for start, end in kept)
        if left == len(words) or len(fresh) < NEW * left:
            return [Cut(0, len(text))]
        return [_cut(text, words, start, end) for start, end in kept]

    def _flags(self, words: Sequence[str]) -> list[bool]:
        flags = [False] * len(words)
        for start, shingle in enumerate(_shingles(words)):
            if shingle in self._shingles:
                flags[start : start + SHINGLE] = [True] * len(shingle)
        return flags


def _words(text: str) -> Iterator[_Word]:
    for match in _WORD.finditer(text):
        yield _Word(_normal(match.group()), *match.span())


def _normal(word: str) -> str:
    return word.lower() if word.isascii() else unicodedata.normalize("NFKC", word).casefold()


def _shingles(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the runs of words; a text shorter than one is a run as a whole."""
    for start in range(max(1, len(words) - SHINGLE + 1)):
        yield tuple(words[start : start + SHINGLE])


def _is_figure(word: str) -> bool:
    return any(character.isdigit() for character in word)


def _runs(said: Sequence[bool]) -> Iterator[tuple[int, int]]:
    """Yield where runs of at least `RUN` said words begin and end."""
    start = 0
    for place, known in enumerate([*said, False]):
        if not known:
            if place - start >= RUN:
                yield start, place
            start = place + 1


def _outside(runs: Iterator[tuple[int, int]], count: int) -> Iterator[tuple[int, int]]:
    """Yield what lies between the runs, none of it empty."""
    done = 0
    for start, end in [*runs, (count, count)]:
        if start > done:
            yield done, start
        done = end


def _cut(text: str, words: Sequence[_Word], start: int, end: int) -> Cut:
    """Return the stretch of some words, with the punctuation behind them."""
    begin = words[start].start if start else 0
    until = words[end].start if end < len(words) else len(text)
    return Cut(begin, begin + len(text[begin:until].rstrip()))
