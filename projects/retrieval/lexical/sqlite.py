"""The word index in SQLite: BM25 by its own full-text engine, FTS5."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence

from django.db import connection

from projects.retrieval.lexical.base import ANSWERABLE, FIELDS, IndexEntry, Parameter, select
from projects.retrieval.passages import Passage

TABLE = "projects_chunk_fts"
COLUMNS = ("text", "heading", "opening", "name")
WEIGHTS = (1.0, 0.4, 0.5, 0.5)
"""A chunk is found by its own words first, and by those of its headings, its document's first lines and its name:
'the Piper in Tallahassee' names the document, while the page that answers says only 'the airplane'."""

# ruff: noqa: S608 - every piece put into these statements is a constant of this module
_JOINS = f"""
    JOIN {TABLE} words ON words.rowid = chunk.id
    JOIN projects_document document ON document.id = chunk.document_id
    JOIN projects_section section ON section.id = chunk.section_id"""

# The inner query sorts numbers alone; with the texts in it, a word that is everywhere would have them all read.
_SEARCH = f"""
    SELECT {FIELDS}, hit.score FROM (
        SELECT {TABLE}.rowid AS id, -bm25({TABLE}, %s, %s, %s, %s) AS score
        FROM {TABLE}
        JOIN projects_chunk chunk ON chunk.id = {TABLE}.rowid
        JOIN projects_document document ON document.id = chunk.document_id
        WHERE {TABLE} MATCH %s AND document.project_id = %s AND document.state IN ({ANSWERABLE}) {{documents}}
        ORDER BY score DESC, id LIMIT %s
    ) hit JOIN projects_chunk chunk ON chunk.id = hit.id {_JOINS}
    ORDER BY hit.score DESC, hit.id"""
_SEARCH_ALL = _SEARCH.format(documents="")
_SEARCH_SOME = _SEARCH.format(documents="AND document.id IN (SELECT value FROM json_each(%s))")

_OPENINGS = f"""
    SELECT {FIELDS}, 0.0 FROM projects_chunk chunk {_JOINS}
    WHERE document.project_id = %s AND document.state IN ({ANSWERABLE}) AND chunk.ordinal = 0
    ORDER BY document.name, document.id LIMIT %s"""

_PASSAGES = f"""
    SELECT {FIELDS}, 0.0 FROM projects_chunk chunk {_JOINS}
    WHERE chunk.id IN (SELECT value FROM json_each(%s)) AND document.state IN ({ANSWERABLE})"""


class SqliteIndex:
    """See `WordIndex`."""

    def add(self, entries: Iterable[IndexEntry]) -> None:
        """Index chunks; a trigger takes them out again (migration 0002)."""
        rows = [(entry.chunk_id, entry.text, entry.heading, entry.opening, entry.name) for entry in entries]
        with connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO {TABLE} (rowid, {', '.join(COLUMNS)}) VALUES (%s, %s, %s, %s, %s)",
                rows,
            )

    def erase_deleted(self) -> None:
        """Rewrite the index without the words of deleted chunks, which it keeps until it is merged by chance.

        Takes a second for 100 MB of text. FTS5's own 'secure-delete' does it row by row, from SQLite 3.42 on alone.
        """
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {TABLE} ({TABLE}) VALUES ('optimize')")

    def search(
        self, project_id: int, terms: Sequence[str], limit: int, documents: Collection[int] | None
    ) -> list[Passage]:
        """Return the best chunks by BM25."""
        parameters: list[Parameter] = [*WEIGHTS, _any_of(terms), project_id]
        if documents is None:
            return select(_SEARCH_ALL, [*parameters, limit])
        return select(_SEARCH_SOME, [*parameters, json.dumps(sorted(documents)), limit])

    def openings(self, project_id: int, limit: int) -> list[Passage]:
        """Return the documents' first chunks."""
        return select(_OPENINGS, [project_id, limit])

    def passages(self, chunk_ids: Collection[int]) -> list[Passage]:
        """Return chunks by their ids."""
        return select(_PASSAGES, [json.dumps(list(chunk_ids))])


def _any_of(terms: Sequence[str]) -> str:
    """Return an FTS5 expression; each term is a quoted string, so nothing in it can be syntax."""
    return " OR ".join(f'"{term}"' for term in terms)
