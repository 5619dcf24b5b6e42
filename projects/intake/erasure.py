"""Leaves nothing of a text that is gone: in rows of others that quote it, and in the files of the database."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper

from projects.models import Document, Turn
from projects.retrieval import lexical
from study import service as study

logger = logging.getLogger(__name__)

PATIENCE_MS = 300
"""Readers are done within milliseconds; one that is not must not keep the page waiting for as long as a writer may."""


def forget_document(document: Document) -> None:
    """Drop what else holds a document's words and does not go with its rows; before they are deleted."""
    study.document_removed(document.pk)
    _drop_prompts(document)


def forget_text(document: Document, text: str = "") -> None:
    """Drop what quotes the text that a document had before it was read anew; `text` is what it has now.

    Citations of words that are still there stay: they hold for the new reading too.
    """
    study.document_removed(document.pk)
    _drop_prompts(document)
    words = _plain(text)
    for citation in document.citations.all():
        if _plain(citation.quote) not in words:
            citation.delete()


def _drop_prompts(document: Document) -> None:
    """Empty the prompts that were sent in the document's project: they hold passages, cited or not."""
    Turn.objects.filter(conversation__project=document.project_id).update(prompt=[])


def _plain(text: str) -> str:
    return " ".join(text.split())


def erase() -> None:
    """Leave nothing of what the running transaction deleted; call it at its end.

    SQLite overwrites deleted rows (`secure_delete`), but the words stay in the index, and the pages as they were in the
    write-ahead log, until they are written over by chance. The log is emptied when the transaction is over.
    """
    lexical.erase_deleted()
    transaction.on_commit(empty_log)


def empty_log() -> None:
    """Move the write-ahead log into the database and cut it to nothing.

    While somebody reads an older state that waits for the next removal, or for the last connection to close.
    """
    if connection.vendor != "sqlite":
        return
    try:
        with connection.cursor() as cursor, _patience(cursor):
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            busy = bool(cursor.fetchone()[0])
    except OperationalError:  # a lock held within this process
        busy = True
    if busy:
        logger.info("the write-ahead log is in use and was not emptied")


@contextmanager
def _patience(cursor: CursorWrapper) -> Iterator[None]:
    cursor.execute("PRAGMA busy_timeout")
    usual = int(cursor.fetchone()[0])
    cursor.execute(f"PRAGMA busy_timeout = {PATIENCE_MS}")
    try:
        yield
    finally:
        cursor.execute(f"PRAGMA busy_timeout = {usual}")
