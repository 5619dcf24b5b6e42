"""The words of a question that are looked for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from projects.retrieval.stopwords import STOP_WORDS

MAX_TERMS = 64

_COMPOUND = re.compile(r"\w+(?:[-./:’'&]\w+)*")
_WORD = re.compile(r"\w+")


def terms_of(question: str) -> list[str]:
    """Return the question's words, each once, in lower case; common words only if there are no others.

    What holds together is a term as a whole, to be looked for as a phrase, and in its parts: 'PA-22-150' means just
    that, '85-year-old' should find 'age 85' as well.
    """
    words = list(dict.fromkeys(_terms(question)))
    telling = [word for word in words if word not in STOP_WORDS] or words
    return telling[:MAX_TERMS]


def _terms(question: str) -> Iterator[str]:
    # Composed letters, since a combining accent is no part of a word to the pattern.
    for match in _COMPOUND.finditer(unicodedata.normalize("NFKC", question).lower()):
        compound = match.group()
        yield compound
        for part in _WORD.findall(compound):
            if len(part) > 1:
                yield part
