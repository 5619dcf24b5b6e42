"""What a search shows: the passages found, with the words marked, where they stand and by what they were found."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from projects.presentation.highlights import Run, excerpt, marks
from projects.retrieval import search as retrieval

LIMIT = 30

_LINES = re.compile(r"\s*[\n\f]\s*")


@dataclass(frozen=True)
class Hit:
    """A passage as a search shows it: characters `start` to `end` of a section.

    `by_words` and `by_meaning` are its ranks from 1, None where it has none.
    """

    document_id: int
    document: str
    section_id: int
    start: int
    end: int
    page: int | None
    heading: str
    runs: tuple[Run, ...]
    by_words: int | None
    by_meaning: int | None


@dataclass(frozen=True)
class Hits:
    """The hits, best first; `by` says how was searched, `note` what could not be done, empty when all could."""

    hits: tuple[Hit, ...] = ()
    by: str = ""
    note: str = ""

    @property
    def without_the_words(self) -> bool:
        """Tell whether all that was found is only near in meaning."""
        return bool(self.hits) and all(hit.by_words is None for hit in self.hits)


def search(project_id: int, question: str, documents: Collection[int] | None = None) -> Hits:
    """Search a project, or some of its documents, without any call of the model."""
    found = retrieval.find(project_id, question, limit=LIMIT, documents=documents)
    return Hits(tuple(_hit(hit, question) for hit in found.hits), found.mode, found.note)


def _hit(hit: retrieval.Hit, question: str) -> Hit:
    passage = hit.passage
    found = marks(passage.text, question)
    return Hit(
        document_id=passage.document_id,
        document=passage.document,
        section_id=passage.section_id,
        start=passage.start,
        end=passage.start + len(passage.text),
        page=passage.page_at(found[0].start if found else 0),
        heading=" › ".join(passage.heading),
        runs=tuple(Run(_LINES.sub("\n", run.text), run.marked) for run in excerpt(passage.text, found)),
        by_words=hit.words_rank,
        by_meaning=hit.meaning_rank,
    )
