"""Looks for figures of an answer that nobody has given it: numbers, dates and identifiers of no document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from study.faithful import Values
from study.sentences import sentences, without_marks

_PLACE = re.compile(r"\b(?:pages?|p\.|Seiten?|S\.|página)\s*\d+(?:\s*[-–,]\s*\d+)*", re.IGNORECASE)
"""Where something stands in a document is no figure of its text."""


@dataclass(frozen=True)
class Findings:
    """Figures that are nowhere: `invented`, and `counts`, which may be the number of documents that an answer names."""

    invented: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()


class Known:
    """The figures of all documents, their names included."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._values = Values.of("\n".join([*texts, *texts.values()]))
        self._documents = len(texts)

    def look(self, answer: str, asked: str) -> Findings:
        """Find the figures of an answer that are in no document, and not in what was asked."""
        theirs = Values.of(asked)
        nowhere = [
            value
            for sentence in sentences(_PLACE.sub("", without_marks(answer)))
            for value in self._values.lacks(sentence)
            if theirs.lacks(value)
        ]
        counts = tuple(value for value in nowhere if self._is_count(value))
        return Findings(tuple(value for value in nowhere if value not in counts), counts)

    def _is_count(self, value: str) -> bool:
        return value.isdigit() and int(value) <= self._documents
