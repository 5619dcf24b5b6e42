"""Estimates how many word pieces an embedding model sees in a text, without the model.

Small embedding models read a fixed number of word pieces and silently drop the rest. Their vocabulary is made for
English: there, a word is a piece; in other languages in Latin letters a piece is two or three letters, in other scripts
it is one. The figures below are measured with the vocabulary of BERT, which all-MiniLM and most models of its kind use;
the tests hold them against it.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import islice

ENGLISH_WORD = 1.2
"""Pieces of a word in English prose, long ones included."""
LETTER = 0.5
"""Pieces of a letter in other words in Latin letters."""
FIGURE = 0.75
"""Pieces of a digit, and of a letter among digits."""
STRETCH = 300
"""Words over which the language is judged: paragraphs and tables of one document differ."""
ENGLISH_SHARE = 0.02
"""Of the words of a stretch that only English has, from which on it counts as prose in English."""

_ENGLISH = frozenset(
    {
        "and", "are", "been", "but", "each", "from", "if", "it", "its", "may", "not", "other", "shall", "that", "the",
        "their", "there", "this", "were", "when", "which", "who", "with", "would", "you", "your",
    }
)  # fmt: skip
_TOKEN = re.compile("[A-Za-z0-9\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]+|\\S")
_HANGUL, _HANGUL_END, _HANGUL_FINALS = 0xAC00, 0xD7A3, 28


def most_pieces(text: str) -> float:
    """Return the pieces in a text if it is no prose in English: names, figures, codes."""
    return sum(_cost(match.group(), is_english=False) for match in _TOKEN.finditer(text))


class WordPieces:
    """The estimate for one text: made once in a pass over it, asked for any stretch."""

    def __init__(self, text: str) -> None:
        self._length = len(text)
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._sums: list[float] = [0.0]  # of the tokens before
        for start, end, cost in _costs(text):
            self._starts.append(start)
            self._ends.append(end)
            self._sums.append(self._sums[-1] + cost)

    def between(self, start: int, end: int) -> float:
        """Return the pieces in a stretch of the text."""
        return self._before(end) - self._before(start)

    def reach(self, start: int, limit: float) -> int:
        """Return up to where the text from `start` on has no more than `limit` pieces; at least a character."""
        target = self._before(start) + limit
        index = bisect_right(self._sums, target) - 1
        if index >= len(self._ends):
            return self._length
        begin, end = self._starts[index], self._ends[index]
        within = (target - self._sums[index]) / (self._sums[index + 1] - self._sums[index])
        return max(begin + int(within * (end - begin)), start + 1)

    def _before(self, offset: int) -> float:
        index = bisect_left(self._ends, offset)
        if index >= len(self._ends):
            return self._sums[-1]
        begin, end = self._starts[index], self._ends[index]
        within = max(offset - begin, 0) / (end - begin)
        return self._sums[index] + within * (self._sums[index + 1] - self._sums[index])


def _costs(text: str) -> Iterator[tuple[int, int, float]]:
    """Yield (start, end, pieces) of every word and every other character that is no white space."""
    matches = _TOKEN.finditer(text)
    while stretch := list(islice(matches, STRETCH)):
        is_english = _is_english(stretch)
        for match in stretch:
            cost = _cost(match.group(), is_english)
            if cost:
                yield match.start(), match.end(), cost


def _is_english(stretch: list[re.Match[str]]) -> bool:
    words = [match.group().lower() for match in stretch if match.group().isalpha()]
    found = sum(word in _ENGLISH for word in words)
    return found > 0 and found >= ENGLISH_SHARE * len(words)


def _cost(token: str, is_english: bool) -> float:
    if len(token) == 1:
        return _cost_of_character(token)
    if not token.isalpha():
        return max(1.0, FIGURE * len(token))
    if is_english:
        return ENGLISH_WORD
    return max(1.0, LETTER * len(token))


def _cost_of_character(character: str) -> float:
    """Return the pieces of a letter or sign alone; models take Korean syllables apart and drop accents."""
    code = ord(character)
    if _HANGUL <= code <= _HANGUL_END:
        return 2 if (code - _HANGUL) % _HANGUL_FINALS == 0 else 3
    return 0 if unicodedata.category(character) in {"Mn", "Cf", "Cc"} else 1
