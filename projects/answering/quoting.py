"""Finds in the sources what a model says it has copied from them, so that a quote is always the source's own words.

A model that is asked for a line copies it well but not always to the letter: it leaves out a label, joins two lines or
turns '1,500-foot' into '1500 feet'. What it gives is therefore taken as a hint to a place: the same words, else the
longest beginning that is there, else the one line that holds nearly all of it. The quote is what stands at that place.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from projects.answering.sentences import Span, sentences, terms
from projects.retrieval.passages import Passage
from study.faithful import Values

LONGEST = 400
"""Characters of a quote; a 'sentence' may be a whole table."""
PREFIX_WORDS = 4
"""Words of a beginning that is found although what follows is not."""
PREFIX_SHARE = 0.5
"""Of the words that were copied: a shorter beginning says little."""
WORDS_SHARE = 0.6
"""Of the telling words that were copied: what a line must hold to be the one that is meant."""

_WORD = re.compile(r"\w+")
_NOTHING = re.compile(r"\W*(none|n/?a|null|keine?r?s?|aucune?|ninguna?|nada|nichts)\b\W*", re.IGNORECASE)


@dataclass(frozen=True)
class Quote:
    """`text` stands at `start` of source `number` (counted from 1)."""

    number: int
    start: int
    text: str


def is_nothing(copied: str) -> bool:
    """Tell whether what was to be copied is the word for nothing, or empty."""
    return not _WORD.search(copied) or _NOTHING.fullmatch(copied.split("\n", maxsplit=1)[0]) is not None


class Places:
    """Sources whose words are found by what a model has copied; made once for all that it copies from them."""

    def __init__(self, sources: Sequence[Passage]) -> None:
        self._sources = sources
        self._indexed = [_Indexed(source) for source in sources]

    def locate(self, copied: str, question: str = "") -> Quote | None:
        """Return the place that a model means by what it has copied, None if there is none.

        A word or two may stand in several places: then the one whose line shares most with the question counts.
        """
        wanted = _words(copied)
        if not wanted or is_nothing(copied):
            return None
        spot = (
            _same_words(wanted, self._indexed, question)
            or _beginning(wanted, self._indexed, question)
            or _line(copied, self._indexed)
        )
        return _quote(*spot, self._sources) if spot else None


def locate(copied: str, sources: Sequence[Passage], question: str = "") -> Quote | None:
    """Return the place that a model means by one thing it has copied from the sources; see `Places.locate`."""
    return Places(sources).locate(copied, question)


Spot = tuple[int, int, int]
"""Index of the source, and where in its text it starts and ends."""


class _Indexed:
    """A source's words in a row, each with its place."""

    def __init__(self, source: Passage) -> None:
        self.text = source.text
        self._places = [(match.start(), match.end()) for match in _WORD.finditer(source.text)]
        words = [_folded(source.text[start:end]) for start, end in self._places]
        self._row = f" {' '.join(words)} "
        self._offsets = [0]
        for word in words:
            self._offsets.append(self._offsets[-1] + len(word) + 1)

    def occurrences(self, words: Sequence[str]) -> Iterator[tuple[int, int]]:
        """Yield where in the text these words stand one after the other."""
        sought = f" {' '.join(words)} "
        at = self._row.find(sought)
        while at >= 0:
            first = bisect_right(self._offsets, at) - 1
            yield self._places[first][0], self._places[first + len(words) - 1][1]
            at = self._row.find(sought, at + 1)

    @cached_property
    def lines(self) -> list[Span]:
        """The sentences and lines of the text."""
        return list(sentences(self.text))


def _same_words(words: Sequence[str], indexed: Sequence[_Indexed], question: str) -> Spot | None:
    """Return where all the words stand; among several places the one whose line says most of the question."""
    asked = terms(question)
    best: Spot | None = None
    most = -1
    for index, source in enumerate(indexed):
        for start, end in source.occurrences(words):
            line = _around(source.lines, start, end)
            shared = len(asked & terms(source.text[line.start : line.end]))
            if shared > most:
                best, most = (index, start, end), shared
    return best


def _beginning(words: Sequence[str], indexed: Sequence[_Indexed], question: str) -> Spot | None:
    """Return where the longest beginning of the words stands, if it is long enough to mean that place."""
    least = max(PREFIX_WORDS, int(len(words) * PREFIX_SHARE))
    low, high, found = least, len(words) - 1, None
    while low <= high:
        middle = (low + high) // 2
        spot = _same_words(words[:middle], indexed, question)
        found = spot or found
        low, high = (middle + 1, high) if spot else (low, middle - 1)
    return found


def _line(copied: str, indexed: Sequence[_Indexed]) -> Spot | None:
    """Return the line that holds nearly all that was copied, every figure among it."""
    wanted = terms(copied)
    best: Spot | None = None
    most = WORDS_SHARE * len(wanted)
    for index, source in enumerate(indexed):
        for span in source.lines:
            held = terms(source.text[span.start : span.end])
            shared = len(wanted & held)
            if shared < most or (best and shared == most):
                continue
            if not Values.of(source.text[span.start : span.end]).lacks(copied):
                best, most = (index, span.start, span.end), shared
    return best


def _quote(index: int, start: int, end: int, sources: Sequence[Passage]) -> Quote:
    """Return the whole lines or sentences around a place, or the place alone where those would be too much."""
    text = sources[index].text
    line = _around(list(sentences(text)), start, end)
    if line.end - line.start > LONGEST:
        line = Span(start, min(end, start + LONGEST))
    return Quote(index + 1, line.start, text[line.start : line.end])


def _around(lines: Sequence[Span], start: int, end: int) -> Span:
    touched = [line for line in lines if line.start < end and line.end > start]
    return Span(min(start, touched[0].start), max(end, touched[-1].end)) if touched else Span(start, end)


def _words(text: str) -> list[str]:
    return [_folded(word) for word in _WORD.findall(text)]


def _folded(word: str) -> str:
    return unicodedata.normalize("NFKC", word).casefold()
