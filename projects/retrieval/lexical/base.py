"""What a word index takes and gives, whichever database keeps it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from django.db import connection

from projects.models import Document
from projects.retrieval.passages import Passage

# ruff: noqa: S608 - every piece put into these statements is a constant of the code
FIELDS = """
    chunk.id, document.id, document.name, words.opening, chunk.ordinal, chunk.page, section.heading, chunk.text,
    chunk.content_key, chunk.section_id, chunk.start"""
"""Of the tables `words` (the index), `chunk`, `section` and `document`: what `passages` reads, before a score."""

ANSWERABLE = ", ".join(f"'{state.value}'" for state in Document.ANSWERABLE)


def joins(words: str) -> str:
    """Return the joins of `FIELDS` behind `chunk`; `words` are the index's table and its condition on `chunk.id`."""
    return f"""
    JOIN {words} = chunk.id
    JOIN projects_document document ON document.id = chunk.document_id
    JOIN projects_section section ON section.id = chunk.section_id"""


def openings_query(joined: str) -> str:
    """Return the statement for `WordIndex.openings`; its parameters are the project and the limit."""
    return f"""
    SELECT {FIELDS}, 0.0 FROM projects_chunk chunk {joined}
    WHERE document.project_id = %s AND document.state IN ({ANSWERABLE}) AND chunk.ordinal = 0
    ORDER BY document.name, document.id LIMIT %s"""


Parameter = str | int | float | list[int] | list[str] | None


@dataclass(frozen=True)
class IndexEntry:
    """A chunk's row in the index: its own words, and those of its headings, its document's first lines and its name."""

    chunk_id: int
    text: str
    heading: str
    opening: str
    name: str


class WordIndex(Protocol):
    """The index of one database. Deleted chunks leave it by themselves."""

    def add(self, entries: Iterable[IndexEntry]) -> None:
        """Index chunks, in the transaction that creates them."""
        ...

    def erase_deleted(self) -> None:
        """Leave no words of deleted chunks in the files of the index."""
        ...

    def search(
        self, project_id: int, terms: Sequence[str], limit: int, documents: Collection[int] | None
    ) -> list[Passage]:
        """Return the chunks with any of the terms, best first; a term of several words is a phrase."""
        ...

    def openings(self, project_id: int, limit: int) -> list[Passage]:
        """Return the first chunk of each answerable document, in the order of their names."""
        ...

    def passages(self, chunk_ids: Collection[int]) -> list[Passage]:
        """Return these chunks, in no order, without those that are gone or not answerable; their score is 0."""
        ...


def select(statement: str, parameters: Sequence[Parameter]) -> list[Passage]:
    """Run a statement that gives `FIELDS` and a score."""
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return [_passage(row) for row in cursor.fetchall()]


def _passage(row: tuple[Any, ...]) -> Passage:
    chunk_id, document_id, name, opening, ordinal, page, heading, text, key, section_id, start, score = row
    path = tuple(json.loads(heading) if isinstance(heading, str) else heading)
    return Passage(
        chunk_id, document_id, name, opening, ordinal, page, path, text, key, float(score), section_id, start
    )
