"""The word index: the chunks of a project that share words with a question, best first."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.db import NotSupportedError, connection

from projects.retrieval.lexical.base import IndexEntry, WordIndex
from projects.retrieval.lexical.terms import terms_of
from projects.retrieval.passages import Passage

__all__ = ["IndexEntry", "add", "erase_deleted", "openings", "passages", "search"]

SEARCH_LIMIT = 50


def add(entries: Iterable[IndexEntry]) -> None:
    """Index chunks; call it in the transaction that creates them. Deleted chunks leave the index by themselves."""
    _index().add(entries)


def erase_deleted() -> None:
    """Leave no words of deleted chunks in the files of the index."""
    _index().erase_deleted()


def search(
    project_id: int, question: str, limit: int = SEARCH_LIMIT, documents: Collection[int] | None = None
) -> list[Passage]:
    """Return the chunks that share words with the question, best first, from answerable documents alone.

    Any question is fine: operators, quotes and the like count as the characters that they are. `documents` are the
    only ones to look into, all of the project if None.
    """
    terms = terms_of(question)
    return _index().search(project_id, terms, limit, documents) if terms else []


def openings(project_id: int, limit: int) -> list[Passage]:
    """Return the first chunk of each answerable document, in the order of their names."""
    return _index().openings(project_id, limit)


def passages(chunk_ids: Collection[int]) -> list[Passage]:
    """Return these chunks, in no order, without those that are gone or not answerable; their score is 0."""
    return _index().passages(chunk_ids) if chunk_ids else []


def _index() -> WordIndex:
    if connection.vendor == "sqlite":
        from projects.retrieval.lexical.sqlite import SqliteIndex

        return SqliteIndex()
    if connection.vendor == "postgresql":
        from projects.retrieval.lexical.postgresql import PostgresqlIndex

        return PostgresqlIndex()
    raise NotSupportedError(f"There is no word index for {connection.vendor}; Readahead needs SQLite or PostgreSQL.")
