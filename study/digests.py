"""What the digest of a project says and in which order: pure functions over what is known about its documents."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Self

from study.sentences import first_sentence, sentences

SHARE = 0.5
"""Of the model's window: the rest is for what is asked, for passages beside the digest, and for the conversation."""
LINE_CHARACTERS = 140
SUMMARY_CHARACTERS = 450
FACTS_SHARE = 0.03
"""Of a document's characters: what its passport may cost in the digest, so that reading that stays cheap."""
FACTS_LEAST, FACTS_MOST = 160, 800


FIRST_DIGEST = 5
"""Documents from which on there is a digest although others are still unread."""


class Level(StrEnum):
    """How much of each document the digest holds.

    FULL: line, passport and summary of each, as long as that takes no more than `SHARE` of the window.
    LINES: one line each; passport and summary come with the question, for the documents concerned alone.
    TYPES: how many documents of which type there are, where not even the lines fit; the rest as with LINES.
    """

    FULL = "full"
    LINES = "lines"
    TYPES = "types"


@dataclass(frozen=True)
class Entry:
    """One document in the digest. `key` changes with anything that is told here."""

    document_id: int
    key: str
    name: str
    type: str
    pages: int | None
    facts: str
    summary: str

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        return cls(**{name: data[name] for name in cls.__dataclass_fields__})

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return asdict(self)

    def text(self, number: int, level: Level) -> str:
        """Return what the model reads about the document under its mark."""
        if level is Level.LINES:
            return f"[{number}] {self._title}: {first_sentence(self.summary, LINE_CHARACTERS)}\n"
        facts = f"{self.facts}\n" if self.facts else ""
        return f"[{number}] {self._title}\n{facts}{condensed(self.summary, SUMMARY_CHARACTERS)}\n\n"

    @property
    def _title(self) -> str:
        pages = f", {self.pages} pages" if self.pages and self.pages > 1 else ""
        return f"{self.name} ({self.type}{pages})"


def arranged(old: Sequence[Entry], fresh: Iterable[Entry]) -> list[Entry]:
    """Return the entries of a digest that follows `old`: what stays keeps its place, what is new comes last.

    So a new document only appends, and what the model remembers of the digest before it stays true.
    """
    by_id = {entry.document_id: entry for entry in fresh}
    kept = [by_id.pop(entry.document_id) for entry in old if entry.document_id in by_id]
    return [*kept, *by_id.values()]


def shown(entries: Sequence[Entry], level: Level) -> list[str]:
    """Return the texts that stand for the entries at a level, marks counted from 1, one part of the prompt each."""
    if level is not Level.TYPES:
        return [entry.text(number, level) for number, entry in enumerate(entries, start=1)]
    counts = Counter(entry.type for entry in entries)
    kinds = ", ".join(
        f"{count} × {kind}" for kind, count in sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    )
    return [f"{len(entries)} documents: {kinds}.\n\n"]


def level_for(full: int, lines: int, window: int) -> Level:
    """Return the level at which a digest that takes `full` or `lines` tokens fits into its share of the window."""
    room = int(window * SHARE)
    if full <= room:
        return Level.FULL
    return Level.LINES if lines <= room else Level.TYPES


def condensed(summary: str, most: int) -> str:
    """Return a summary in about `most` characters: the first sentences, which say what it is, and the last, which says
    how it ends; what is between them goes first.
    """
    kept = sentences(summary)
    while len(kept) > 2 and len(" ".join(kept)) > most:
        del kept[-2]
    return " ".join(kept)


def brief_facts(facts: Iterable[tuple[str, str]], summary: str, characters: int) -> str:
    """Return the facts (label and value, the most telling first) that the summary does not tell.

    As many as fit into the share of a document of so many characters; never a part of one.
    """
    room = min(max(int(characters * FACTS_SHARE), FACTS_LEAST), FACTS_MOST)
    told = _letters(summary)
    kept: list[str] = []
    for label, value in facts:
        fact = f"{label}: {value}"
        if _letters(value) not in told and len(fact) + 2 <= room:
            kept.append(fact)
            room -= len(fact) + 2
    return "; ".join(kept)


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def digest_key(texts: Sequence[str], level: Level) -> str:
    """Return the SHA-256 of what the digest says."""
    return hashlib.sha256(json.dumps([level, *texts]).encode()).hexdigest()


def is_due(waiting: int, known: int, told: int, *, current: bool) -> bool:
    """Tell whether a digest is to be made: `known` documents could be in it, `told` are, `waiting` are still unread.

    When all has been read, as soon as anything has changed. Before that each time the number has doubled, so that
    there is a digest early on, and making it over and over costs no more than making it twice.
    """
    if current or (known == 0 and told == 0):
        return False
    return waiting == 0 or known >= max(FIRST_DIGEST, 2 * told)
