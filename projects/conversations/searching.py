"""Finds conversations by the words in their titles, questions and answers; case and accents make no difference.

The texts are folded and compared here, not by the database: SQLite knows case only of ASCII, PostgreSQL no accents
without an extension, and the conversations of one project are a few megabytes at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from projects.folding import folded_letters
from projects.models import Turn
from projects.presentation.quotes import Span

MOST = 50
"""Conversations that one search shows."""


class Said(NamedTuple):
    """A turn as it is searched."""

    conversation_id: int
    title: str
    turn_id: int
    replaced_by_id: int | None
    question: str
    answer: str

    @property
    def text(self) -> str:
        return f"{self.question}\n{self.answer}"


@dataclass(frozen=True)
class Found:
    """A conversation that has all the words, and the turn of it that has most of them."""

    said: Said
    marks: tuple[Span, ...]
    """Where the words stand in the turn's text."""


def words_of(query: str) -> tuple[str, ...]:
    """Return what is looked for: the words of a query, each once."""
    return tuple(dict.fromkeys(folded_letters(query).split()))


def search(project_id: int, query: str) -> list[Found]:
    """Return a project's conversations that have all the words of a query, the one asked in last first."""
    rows = Turn.objects.filter(conversation__project=project_id).order_by(
        "-conversation__updated", "-conversation_id", "pk"
    )
    names = ("conversation_id", "conversation__title", "pk", "replaced_by_id", "question", "answer")
    said = (Said(*row) for row in rows.values_list(*names).iterator(chunk_size=200))
    found: list[Found] = []
    for hit in matching(said, words_of(query)):
        found.append(hit)
        if len(found) == MOST:
            break
    return found


def matching(said: Iterable[Said], words: tuple[str, ...]) -> Iterator[Found]:
    """Yield one hit for each conversation in whose turns or title all words stand; turns of one come together."""
    for _, turns in groupby(said, key=attrgetter("conversation_id")):
        best = _best(list(turns), words)
        if best is not None:
            yield Found(best, tuple(marks(best.text, words)))


def _best(turns: list[Said], words: tuple[str, ...]) -> Said | None:
    """Return the turn with most of the words if all stand in the conversation; the thread's before one set aside."""
    if not words:
        return None
    missing = set(words) - _those_in(turns[0].title, words)
    most, best = -1, turns[0]
    for turn in sorted(turns, key=lambda turn: turn.replaced_by_id is not None):
        has = _those_in(turn.text, words)
        missing -= has
        if len(has) > most:
            most, best = len(has), turn
    return None if missing else best


def _those_in(text: str, words: Iterable[str]) -> set[str]:
    plain = folded_letters(text)
    return {word for word in words if word in plain}


def marks(text: str, words: Iterable[str]) -> list[Span]:
    """Return where the words stand in the text as it is written, in order, none overlapping another."""
    plain, places = _folded_with_places(text)
    spans = sorted(span for word in words for span in _spans(plain, places, word))
    joined: list[tuple[int, int]] = []
    for start, end in spans:
        if joined and start < joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return [Span(start, end) for start, end in joined]


def _spans(plain: str, places: list[int], word: str) -> Iterator[tuple[int, int]]:
    at = plain.find(word)
    while at >= 0:
        last = at + len(word)
        # Up to where the next letter begins: accents written as characters of their own belong to the word.
        yield places[at], max(places[last], places[last - 1] + 1)
        at = plain.find(word, last)


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """Return the folded text and, for each of its letters and its end, where that stands in the text."""
    letters: list[str] = []
    places: list[int] = []
    for index, character in enumerate(text):
        folded = folded_letters(character)
        letters.append(folded)
        places += [index] * len(folded)
    return "".join(letters), [*places, len(text)]
