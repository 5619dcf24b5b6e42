"""The word index: BM25 over the chunks of a project's documents, in SQLite FTS5."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import NotSupportedError, connection

from projects.models import Document
from projects.retrieval.passages import Passage
from projects.retrieval.stopwords import STOP_WORDS

TABLE = "projects_chunk_fts"
COLUMNS = ("text", "heading", "opening", "name")
WEIGHTS = (1.0, 0.4, 0.5, 0.5)
"""A chunk is found by its own words first, and by those of its headings, its document's first lines and its name:
'the Piper in Tallahassee' names the document, while the page that answers says only 'the airplane'."""

MAX_TERMS = 64
SEARCH_LIMIT = 50


@dataclass(frozen=True)
class IndexEntry:
    """A chunk's row in the index."""

    chunk_id: int
    text: str
    heading: str
    opening: str
    name: str


def add(entries: Iterable[IndexEntry]) -> None:
    """Index chunks; call it in the transaction that creates them. Deleted chunks leave the index by a trigger."""
    _require_sqlite()
    rows = [(entry.chunk_id, entry.text, entry.heading, entry.opening, entry.name) for entry in entries]
    with connection.cursor() as cursor:
        cursor.executemany(
            f"INSERT INTO {TABLE} (rowid, {', '.join(COLUMNS)}) VALUES (%s, %s, %s, %s, %s)",
            rows,
        )


def erase_deleted() -> None:
    """Rewrite the index without the words of deleted chunks, which it keeps until it is merged by chance.

    Takes a second for 100 MB of text. FTS5's own 'secure-delete' does it row by row, from SQLite 3.42 on alone.
    """
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {TABLE} ({TABLE}) VALUES ('optimize')")


def search(project_id: int, question: str, limit: int = SEARCH_LIMIT) -> list[Passage]:
    """Return the chunks that share words with the question, best first, from answerable documents alone.

    Any question is fine: operators, quotes and the like count as the characters that they are.
    """
    query = match_query(question)
    if not query:
        return []
    _require_sqlite()
    return _passages(_SEARCH, [*WEIGHTS, query, project_id, *Document.ANSWERABLE, limit])


def openings(project_id: int, limit: int) -> list[Passage]:
    """Return the first chunk of each answerable document, in the order of their names."""
    return _passages(_OPENINGS, [project_id, *Document.ANSWERABLE, limit])


def match_query(question: str) -> str:
    """Return an FTS5 expression that matches any of the question's words; empty if there is none.

    Each term is a quoted string, so nothing in it can be syntax. What holds together is looked for as a phrase and in
    its parts: 'PA-22-150' means just that, '85-year-old' should find 'age 85' as well.
    """
    words = list(dict.fromkeys(_terms(question)))
    telling = [word for word in words if word not in STOP_WORDS] or words
    return " OR ".join(f'"{word}"' for word in telling[:MAX_TERMS])


_COMPOUND = re.compile(r"\w+(?:[-./:’'&]\w+)*")
_WORD = re.compile(r"\w+")


def _terms(question: str) -> Iterator[str]:
    # Composed letters, since a combining accent is no part of a word to the pattern.
    for match in _COMPOUND.finditer(unicodedata.normalize("NFKC", question).lower()):
        compound = match.group()
        yield compound
        for part in _WORD.findall(compound):
            if len(part) > 1:
                yield part


# ruff: noqa: S608 - every piece put into these statements is a constant of this module
_FIELDS = """
    chunk.id, document.id, document.name, opening, chunk.ordinal, chunk.page, section.heading, chunk.text,
    chunk.content_key"""
_JOINS = f"""
    JOIN projects_chunk chunk ON chunk.id = {TABLE}.rowid
    JOIN projects_document document ON document.id = chunk.document_id
    JOIN projects_section section ON section.id = chunk.section_id"""
_STATES = ", ".join(["%s"] * len(Document.ANSWERABLE))

_SEARCH = f"""
    SELECT {_FIELDS}, -bm25({TABLE}, %s, %s, %s, %s) AS score
    FROM {TABLE} {_JOINS}
    WHERE {TABLE} MATCH %s AND document.project_id = %s AND document.state IN ({_STATES})
    ORDER BY score DESC, chunk.id LIMIT %s"""

_OPENINGS = f"""
    SELECT {_FIELDS}, 0.0 FROM {TABLE} {_JOINS}
    WHERE document.project_id = %s AND document.state IN ({_STATES}) AND chunk.ordinal = 0
    ORDER BY document.name, document.id LIMIT %s"""


def _passages(statement: str, parameters: Sequence[str | float]) -> list[Passage]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return [_passage(row) for row in cursor.fetchall()]


def _passage(row: tuple[Any, ...]) -> Passage:
    chunk_id, document_id, name, opening, ordinal, page, heading, text, key, score = row
    path = tuple(json.loads(heading))
    return Passage(chunk_id, document_id, name, opening, ordinal, page, path, text, key, score)


def _require_sqlite() -> None:
    if connection.vendor != "sqlite":
        raise NotSupportedError("The word index needs SQLite; text search on other databases is not built yet.")
