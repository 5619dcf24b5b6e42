"""The word index in SQLite: BM25 by its own full-text engine, FTS5."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from itertools import accumulate

from django.db import connection

from projects.retrieval.lexical.base import (
    ANSWERABLE,
    FIELDS,
    IndexEntry,
    Parameter,
    joins,
    openings_query,
    select,
)
from projects.retrieval.passages import Passage

TABLE = "projects_chunk_fts"
COLUMNS = ("text", "heading", "opening", "name")
WEIGHTS = (1.0, 0.4, 0.5, 0.5)
"""A chunk is found by its own words first, and by those of its headings, its document's first lines and its name:
'the Piper in Tallahassee' names the document, while the page that answers says only 'the airplane'."""

LEAD = 3_000
"""Rows that a search looks at for its rarest words alone. Words that stand in half of 100,000 chunks would cost 150 ms
for next to no weight; so they are looked up only where one of the rarer words is."""

# ruff: noqa: S608 - every piece put into these statements is a constant of this module
_JOINS = joins(f"{TABLE} words ON words.rowid")

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

_COUNTS = f"""
    SELECT value, (SELECT count(*) FROM {TABLE} WHERE {TABLE} MATCH '"' || value || '"') AS rows
    FROM json_each(%s) ORDER BY rows, key"""

_OPENINGS = openings_query(_JOINS)

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
        query = expression(_rows_with(terms))
        if not query:
            return []
        parameters: list[Parameter] = [*WEIGHTS, query, project_id]
        if documents is None:
            return select(_SEARCH_ALL, [*parameters, limit])
        return select(_SEARCH_SOME, [*parameters, json.dumps(sorted(documents)), limit])

    def openings(self, project_id: int, limit: int) -> list[Passage]:
        """Return the documents' first chunks."""
        return select(_OPENINGS, [project_id, limit])

    def passages(self, chunk_ids: Collection[int]) -> list[Passage]:
        """Return chunks by their ids."""
        return select(_PASSAGES, [json.dumps(list(chunk_ids))])


def expression(rows_with: Sequence[tuple[str, int]], most: int = LEAD) -> str:
    """Return an FTS5 expression that finds the rows with any of the leading terms and ranks them by all terms.

    `rows_with` are terms with the number of rows that have them, the rarest first. As many of them lead as have `most`
    rows together, and one at least. FTS5 counts the leading ones twice where others follow. Empty if no row has any.
    """
    known = [(term, rows) for term, rows in rows_with if rows]
    total = accumulate(rows for _, rows in known)
    leading = [term for (term, _), rows in zip(known, total, strict=True) if rows <= most] or [
        term for term, _ in known[:1]
    ]
    lead, everything = _any_of(leading), _any_of([term for term, _ in known])
    return lead if len(leading) == len(known) else f"({lead}) AND ({everything})"


def _any_of(terms: Sequence[str]) -> str:
    """Return the terms as quoted strings, so that nothing in them can be syntax."""
    return " OR ".join(f'"{term}"' for term in terms)


def _rows_with(terms: Sequence[str]) -> list[tuple[str, int]]:
    """Return terms with the number of rows that have them, the rarest first; half a microsecond for each row."""
    with connection.cursor() as cursor:
        cursor.execute(_COUNTS, [json.dumps(terms)])
        return [(str(term), int(rows)) for term, rows in cursor.fetchall()]
