"""What a search shows: the passages found, with the words marked, where they stand and by what they were found."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from projects.presentation.highlights import Run, excerpt, marks
from projects.retrieval import lexical
from projects.retrieval.passages import Passage

LIMIT = 30

_LINES = re.compile(r"\s*[\n\f]\s*")


@dataclass(frozen=True)
class Hit:
    """A passage as a search shows it; `by_words` and `by_meaning` are its ranks from 1, None where it has none."""

    chunk_id: int
    document_id: int
    document: str
    page: int | None
    heading: str
    runs: tuple[Run, ...]
    by_words: int | None
    by_meaning: int | None


@dataclass(frozen=True)
class Hits:
    """The hits, best first; `note` says what the search could not do, empty when it could do all."""

    hits: tuple[Hit, ...]
    note: str = ""


def search(project_id: int, question: str, documents: Collection[int] | None = None) -> Hits:
    """Search a project, or some of its documents, without any call of the model."""
    passages = [
        passage
        for passage in lexical.search(project_id, question)
        if documents is None or passage.document_id in documents
    ]
    return Hits(tuple(_hit(passage, question, rank) for rank, passage in enumerate(passages[:LIMIT], start=1)))


def _hit(passage: Passage, question: str, by_words: int | None, by_meaning: int | None = None) -> Hit:
    found = marks(passage.text, question)
    return Hit(
        chunk_id=passage.chunk_id,
        document_id=passage.document_id,
        document=passage.document,
        page=passage.page_at(found[0].start if found else 0),
        heading=" › ".join(passage.heading),
        runs=tuple(Run(_LINES.sub("\n", run.text), run.marked) for run in excerpt(passage.text, found)),
        by_words=by_words,
        by_meaning=by_meaning,
    )
