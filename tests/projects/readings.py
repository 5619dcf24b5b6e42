"""Puts documents in line and reads them, in this thread or aside, for the tests of intake."""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import OperationalError, connection

from projects.intake import store
from projects.intake.pipeline import ingest
from projects.intake.service import add_file
from projects.models import Document, Project
from tests.projects.factories import make_project


@pytest.fixture
def empty_store() -> Iterator[None]:
    """No file is left behind: contents count."""
    yield
    for sha256 in store.contents():
        store.remove(sha256)
    shutil.rmtree(settings.HOME / "recognised", ignore_errors=True)


@pytest.fixture
def reading() -> Iterator[list[threading.Thread]]:
    """Readings in threads of their own; over at the end."""
    threads: list[threading.Thread] = []
    yield threads
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def now(document: Document) -> Document:
    return Document.objects.get(pk=document.pk)


def queued(name: str = "scan.pdf", content: bytes = b"bytes", project: Project | None = None) -> Document:
    added = add_file(project or make_project(), name, [content])
    return Document.objects.get(pk=added.document_id)


def read_all() -> None:
    while waiting := Document.objects.filter(state=Document.State.QUEUED).order_by("pk").first():
        ingest(waiting.pk)


def _refused(document_id: int) -> bool:
    """Read a document; True if the database was in use: kept in memory, as in tests, it refuses rather than waits."""
    try:
        ingest(document_id)
    except OperationalError:
        return True
    return False


def begin(document: Document, reading: list[threading.Thread]) -> None:
    """Read a document aside, and return once its progress shows."""

    def run() -> None:
        try:
            while _refused(document.pk):
                pass
        finally:
            connection.close()

    reading.append(threading.Thread(target=run))
    reading[-1].start()
    deadline = time.monotonic() + 30
    while not now(document).stage_done:
        assert time.monotonic() < deadline
        time.sleep(0.02)
