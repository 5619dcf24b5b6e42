"""The word index in PostgreSQL: a text search vector for each chunk, ranked with the weight of rare words.

Words are cut and freed of accents here, as FTS5 does it there, since PostgreSQL's own parser takes 'PA-22-150' for
negative numbers. Endings are dropped by the text search configuration of migration 0008, an English stemmer without
stop words, which leaves words of other languages nearly as they are; again as FTS5's.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Sequence

from django.db import connection

from projects.retrieval.lexical.base import ANSWERABLE, FIELDS, IndexEntry, joins, openings_query, select
from projects.retrieval.passages import Passage

TABLE = "projects_chunk_words"
CONFIGURATION = "readahead"
WEIGHTS = "{0.5, 0.5, 0.4, 1.0}"
"""Of the classes D (name), C (opening), B (heading) and A (text): those of the SQLite index."""
MAX_WORD = 500
"""Characters; PostgreSQL refuses words beyond 2 kB, and nobody looks for one."""

_WORD = re.compile(r"\w+")

# ruff: noqa: S608 - every piece put into these statements is a constant of this module
_ADD = f"""
    INSERT INTO {TABLE} (chunk_id, opening, words) VALUES (%s, %s,
        setweight(to_tsvector('{CONFIGURATION}', %s), 'A') || setweight(to_tsvector('{CONFIGURATION}', %s), 'B') ||
        setweight(to_tsvector('{CONFIGURATION}', %s), 'C') || setweight(to_tsvector('{CONFIGURATION}', %s), 'D'))"""

_JOINS = joins(f"{TABLE} words ON words.chunk_id")

# ts_rank knows nothing of how rare a word is: each term counts by its share of all chunks, as in BM25.
_SEARCH = f"""
    WITH term AS MATERIALIZED (
        SELECT query, ln(1 + (SELECT count(*) FROM {TABLE}) / (0.5 + (
            SELECT count(*) FROM {TABLE} counted WHERE counted.words @@ query))) AS weight
        FROM unnest(%s::text[]) AS said, phraseto_tsquery('{CONFIGURATION}', said) AS query
    ), hit AS (
        SELECT words.chunk_id AS id, sum(term.weight * ts_rank('{WEIGHTS}', words.words, term.query)) AS score
        FROM term JOIN {TABLE} words ON words.words @@ term.query
        JOIN projects_chunk chunk ON chunk.id = words.chunk_id
        JOIN projects_document document ON document.id = chunk.document_id
        WHERE document.project_id = %s AND document.state IN ({ANSWERABLE})
        AND (%s::bigint[] IS NULL OR document.id = ANY(%s::bigint[]))
        GROUP BY words.chunk_id ORDER BY score DESC, id LIMIT %s
    )
    SELECT {FIELDS}, hit.score FROM hit JOIN projects_chunk chunk ON chunk.id = hit.id {_JOINS}
    ORDER BY hit.score DESC, hit.id"""

_OPENINGS = openings_query(_JOINS)

_PASSAGES = f"""
    SELECT {FIELDS}, 0.0 FROM projects_chunk chunk {_JOINS}
    WHERE chunk.id = ANY(%s::bigint[]) AND document.state IN ({ANSWERABLE})"""


class PostgresqlIndex:
    """See `WordIndex`."""

    def add(self, entries: Iterable[IndexEntry]) -> None:
        """Index chunks; a trigger takes them out again (migration 0008)."""
        with connection.cursor() as cursor:
            cursor.executemany(_ADD, [_row(entry) for entry in entries])

    def erase_deleted(self) -> None:
        """Nothing to do: deleted rows wait for PostgreSQL's own vacuum, as those of every table do."""

    def search(
        self, project_id: int, terms: Sequence[str], limit: int, documents: Collection[int] | None
    ) -> list[Passage]:
        """Return the best chunks by the rank of each term and how rare it is."""
        said = [words for term in terms if (words := plain(term))]
        only = None if documents is None else list(documents)
        return select(_SEARCH, [said, project_id, only, only, limit])

    def openings(self, project_id: int, limit: int) -> list[Passage]:
        """Return the documents' first chunks."""
        return select(_OPENINGS, [project_id, limit])

    def passages(self, chunk_ids: Collection[int]) -> list[Passage]:
        """Return chunks by their ids."""
        return select(_PASSAGES, [list(chunk_ids)])


def _row(entry: IndexEntry) -> tuple[int, str, str, str, str, str]:
    texts = (plain(entry.text), plain(entry.heading), plain(entry.opening), plain(entry.name))
    return (entry.chunk_id, entry.opening, *texts)


def plain(text: str) -> str:
    """Return the words of a text in lower case and without accents, a space between two."""
    letters = "".join(c for c in unicodedata.normalize("NFKD", text.lower()) if not unicodedata.combining(c))
    return " ".join(word[:MAX_WORD] for word in _WORD.findall(letters.replace("_", " ")))
