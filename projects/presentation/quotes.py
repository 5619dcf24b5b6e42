"""Finding quoted words in a text that was set differently: other spaces, parted words, ligatures, accents apart.

Both sides are folded to the characters that carry the words. White space, hyphens and everything invisible are no part
of them, since all three come and go with the line breaks of a printed page.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

LEAST_PIECE = 3
"""Words that must stand together for a part of a quote to count as found."""

_UNSEEN = {"Cc", "Cf", "Cn", "Co", "Cs", "Mn", "Me", "Pd", "Zl", "Zp", "Zs"}
_QUOTES = str.maketrans("‘’‚‛′`´“”„‟″«»‹›", "'" * 7 + '"' * 9)
_WORD = re.compile(r"\S+")


@dataclass(frozen=True)
class Span:
    """A stretch of a text: characters `start` to `end`, the end left out."""

    start: int
    end: int


@dataclass(frozen=True)
class Folded:
    """What carries the words of a text, and for each of these characters where in the text it stands."""

    text: str
    places: tuple[int, ...]

    def span(self, start: int, length: int) -> Span:
        """Return the stretch of the text that the folded characters from `start` on come from."""
        return Span(self.places[start], self.places[start + length - 1] + 1)


def fold(characters: Iterable[str]) -> Folded:
    """Fold a text, given as a string or character by character; an element may be empty or hold several characters."""
    kept: list[str] = []
    places: list[int] = []
    for place, character in enumerate(characters):
        folded = _folded(character)
        kept.append(folded)
        places += [place] * len(folded)
    return Folded("".join(kept), tuple(places))


@lru_cache(maxsize=4096)
def _folded(character: str) -> str:
    plain = unicodedata.normalize("NFKD", character).translate(_QUOTES).casefold()
    # Folding the case can bring accents apart again.
    return "".join(c for c in unicodedata.normalize("NFKD", plain) if unicodedata.category(c) not in _UNSEEN)


def find(text: Iterable[str], quote: str, start: int = 0) -> Span | None:
    """Return where `quote` stands in `text`: at or after character `start`, or else first; None if it does not.

    The stretch begins and ends with a character that the quote has too.
    """
    return _find(fold(text), fold(quote).text, start)


def find_pieces(text: Iterable[str], quote: str) -> list[Span]:
    """Return where `quote` stands, piece by piece if it does not stand together; in the order of the quote.

    A page's own order of text may be another than the one a person reads in. Pieces have at least `LEAST_PIECE` words.
    """
    folded = fold(text)
    whole = _find(folded, fold(quote).text, 0)
    return [whole] if whole else list(_pieces(folded, _WORD.findall(quote)))


def _find(folded: Folded, wanted: str, start: int) -> Span | None:
    if not wanted:
        return None
    first = next((index for index, place in enumerate(folded.places) if place >= start), len(folded.places))
    at = folded.text.find(wanted, first) if start else -1
    if at < 0:
        at = folded.text.find(wanted)
    return folded.span(at, len(wanted)) if at >= 0 else None


def _pieces(folded: Folded, words: Sequence[str]) -> Iterator[Span]:
    begin = 0
    while begin + LEAST_PIECE <= len(words):
        found, end = None, begin + LEAST_PIECE
        while end <= len(words) and (longer := _find(folded, fold(" ".join(words[begin:end])).text, 0)):
            found, end = longer, end + 1
        if found:
            yield found
            begin = end - 1
        else:
            begin += 1
