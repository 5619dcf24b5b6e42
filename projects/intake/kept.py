"""Folders for the pages of a document whose reading is not over: they outlive the process that reads."""

from __future__ import annotations

import shutil
from pathlib import Path

from django.conf import settings

from projects.models import Document


def folder_of(document_id: int) -> Path:
    """Return the folder of a document, which the owner alone can enter; made if it is not there."""
    path = _place() / str(document_id)
    path.mkdir(parents=True, exist_ok=True, mode=0o700)
    return path


def count(document_id: int) -> int:
    """Return how many pages are kept of a document."""
    return len(list((_place() / str(document_id)).glob("*.json")))


def remove(document_id: int) -> None:
    """Delete what is kept of a document."""
    shutil.rmtree(_place() / str(document_id), ignore_errors=True)


def remove_unless_unfinished(document_id: int) -> bool:
    """Delete what is kept of a document that nobody will go on with; tell whether it was deleted."""
    if Document.objects.filter(pk=document_id, state__in=Document.UNFINISHED).exists():
        return False
    remove(document_id)
    return True


def remove_left() -> int:
    """Delete what processes that were killed have left of documents that are finished or gone; return how many."""
    ids = [int(path.name) for path in _place().glob("*") if path.name.isdecimal()]
    return sum(remove_unless_unfinished(pk) for pk in ids)


def _place() -> Path:
    return Path(settings.HOME) / "recognised"
