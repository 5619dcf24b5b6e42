"""What people do with documents: add a file, try it again, remove it."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction

from projects.intake import store
from projects.intake.erasure import erase
from projects.intake.names import clean_name
from projects.models import Document, DocumentName, Project, Turn
from study.queue import enqueue, ids_in_line

INGEST_JOB = "projects.jobs.ingest_document"


class IntakeError(Exception):
    """The file was not taken; `message` says why and what to do, for a person."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


@dataclass(frozen=True)
class AddedFile:
    """A file that was taken; `duplicate`: the project had the same bytes already, perhaps under another name."""

    document_id: int
    name: str
    duplicate: bool


def add_file(project: Project, name: str, chunks: Iterable[bytes]) -> AddedFile:
    """Store a file and put its reading in line; the bytes are streamed to disk and never held as a whole.

    Raises IntakeError when the name is empty, the file is too large or the disk is full.
    """
    shown = clean_name(name)
    if not shown:
        raise IntakeError("The file has no name.")
    limit = int(settings.MAX_UPLOAD_BYTES)
    try:
        with store.receive(chunks, limit) as draft, store.exclusive(), transaction.atomic():
            document, duplicate = _document_for(project, shown, draft)
            store.place(draft)
    except store.TooLarge:
        megabytes = limit // (1024 * 1024)
        raise IntakeError(f"{shown} is larger than {megabytes:,} MB, the most that one file may have.") from None
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise IntakeError(f"The disk is full: {shown} was not stored. Free some space and add it again.") from error
    return AddedFile(document.pk, shown, duplicate)


def retry_document(document: Document) -> bool:
    """Read a document again from its stored bytes; False if it is in line or being read already."""
    with transaction.atomic():
        rows = Document.objects.filter(pk=document.pk)
        resting = rows if is_left_behind(document) else rows.filter(state__in=Document.FINAL)
        if not resting.update(state=Document.State.QUEUED, error="", starts=0):
            return False
        enqueue(INGEST_JOB, document.pk)
        return True


def is_left_behind(document: Document) -> bool:
    """Tell whether a document is unfinished and has no job that would finish it."""
    return not document.is_final and document.pk not in ids_in_line(INGEST_JOB)


def remove_document(document: Document) -> None:
    """Remove a document with everything made of it, and its bytes if no other document has the same."""
    with store.exclusive():
        with transaction.atomic():
            Document.objects.filter(pk=document.pk).delete()
            # The prompts that were sent hold passages, cited or not.
            Turn.objects.filter(conversation__project=document.project_id).update(prompt=[])
            erase()
        _drop_unused({document.sha256})


def remove_project(project: Project) -> None:
    """Remove a project with its documents, conversations and all bytes that nothing else uses."""
    with store.exclusive():
        hashes = set(project.documents.values_list("sha256", flat=True))
        with transaction.atomic():
            Project.objects.filter(pk=project.pk).delete()
            erase()
        _drop_unused(hashes)


def remove_user(user: User) -> None:
    """Remove a user with all projects and everything in them."""
    for project in user.projects.all():
        remove_project(project)
    user.delete()


def _document_for(project: Project, name: str, draft: store.Draft) -> tuple[Document, bool]:
    document, created = Document.objects.get_or_create(
        project=project, sha256=draft.sha256, defaults={"name": name, "size": draft.size}
    )
    DocumentName.objects.get_or_create(document=document, name=name)
    if created:
        enqueue(INGEST_JOB, document.pk)
        project.save(update_fields=["updated"])
    return document, not created


def _drop_unused(hashes: set[str]) -> None:
    """Delete content that no row names; after the rows are gone for good, so that no row is ever without its bytes."""
    used = set(Document.objects.filter(sha256__in=hashes).values_list("sha256", flat=True))
    for sha256 in hashes - used:
        store.remove(sha256)
