"""Cutting text into sentences and into the words and numbers by which a claim is compared with its source."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass

from projects.retrieval.stopwords import STOP_WORDS


@dataclass(frozen=True)
class Span:
    """A stretch of a text: `text[start:end]`, never empty, without white space at its ends."""

    start: int
    end: int


# A full stop ends a sentence unless the next word begins in lower case or with a digit. A line is a sentence of its own
# (forms, tables, lists): wrapped lines were joined when the document was read.
_END = re.compile(r"[.!?。！？]+[\"'”’»)\]]*(?=\s+(?![a-zß-ÿ0-9(\[])|\[)|[\n\f]+")
_ABBREVIATIONS = frozenset({"mr", "mrs", "ms", "dr", "no", "nr", "st", "vs", "prof", "art", "inc", "ltd", "ca"})
_TERM = re.compile(r"\w+(?:[-./:,'’]\w+)*")


def sentences(text: str) -> Iterator[Span]:
    """Yield the spans of the sentences, in order; together they hold everything but white space."""
    start = 0
    for match in _END.finditer(text):
        if _is_abbreviation(text[start : match.start()], match.group()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def terms(text: str) -> frozenset[str]:
    """Return the words and numbers that carry meaning, folded so that spelling variants compare equal.

    Numbers, dates and identifiers ('12/08/2007', 'PA-22-150', '1,200.50') stay in one piece.
    """
    folded = unicodedata.normalize("NFKC", text).casefold()
    found = (term for term in _TERM.findall(folded) if len(term) > 1 or term.isdigit())
    return frozenset(found) - STOP_WORDS


def figures(words: frozenset[str]) -> frozenset[str]:
    """Return those terms that hold a digit: numbers, dates, identifiers."""
    return frozenset(word for word in words if any(character.isdigit() for character in word))


def _is_abbreviation(before: str, stop: str) -> bool:
    if not stop.startswith("."):
        return False
    last = before.rsplit(None, 1)[-1:] or [""]
    word = last[0].lstrip("(").casefold()
    return word in _ABBREVIATIONS or (len(word) == 1 and word.isalpha())


def _trimmed(text: str, start: int, end: int) -> Iterator[Span]:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if left < right:
        yield Span(start + left, start + right)
