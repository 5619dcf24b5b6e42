"""Which lines of the sources come nearest to a question, told before the model has said a word.

A small model that is asked for the line that answers finds it nearly always when the question has the words of the
line, and less often when it has others: 'yearly check' for 'Date/Type of Last Inspection'. Where it has found none that
holds, it is asked again with the lines before it that are near by words and by meaning.
"""

from __future__ import annotations

from collections.abc import Sequence

from projects.answering.quoting import Quote
from projects.answering.sentences import sentences, terms
from projects.retrieval.fusion import fuse
from projects.retrieval.passages import Passage

MOST = 6
"""Lines that are pointed at, and of a short text only every `SHARE`th: pointing at all of it says nothing."""
SHARE = 4
TELLING = 2
"""Telling words of a line that can answer anything."""


def lines_of(sources: Sequence[Passage]) -> tuple[Quote, ...]:
    """Return the sentences and lines of the sources that can answer something, each text once."""
    lines: dict[str, Quote] = {}
    for number, source in enumerate(sources, start=1):
        for span in sentences(source.text):
            text = source.text[span.start : span.end]
            if len(terms(text)) >= TELLING:
                lines.setdefault(" ".join(text.split()), Quote(number, span.start, text))
    return tuple(lines.values())


def by_words(lines: Sequence[Quote], question: str) -> list[int]:
    """Return the places of the lines that share words with the question, best first."""
    asked = terms(question)
    held = [terms(line.text) for line in lines]
    scores = [len(asked & words) / (1 + len(words) ** 0.5) for words in held]
    return sorted((at for at, score in enumerate(scores) if score > 0), key=lambda at: -scores[at])


def pointed(lines: Sequence[Quote], question: str, likeness: Sequence[float] = ()) -> tuple[Quote, ...]:
    """Return the lines that come nearest to a question, best first.

    `likeness` is the cosine of each line with the question, empty where meaning cannot be compared.
    """
    by_meaning = sorted(range(len(likeness)), key=lambda at: -likeness[at])
    most = min(MOST, max(1, len(lines) // SHARE))
    return tuple(lines[ranked.chunk_id] for ranked in fuse(by_words(lines, question), by_meaning)[:most])
