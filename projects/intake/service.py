"""What people do with documents: add a file, cancel its reading, have it read again, replace it, remove it."""

from __future__ import annotations

import errno
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Case, F, Value, When
from django.utils import timezone

from projects.intake import kept, store
from projects.intake.claim import ClaimLost
from projects.intake.erasure import erase, forget_document
from projects.intake.names import clean_name
from projects.models import Document, DocumentName, Project
from study.queue import enqueue, ids_in_line

INGEST_JOB = "projects.jobs.ingest_document"
_BEGINNING: dict[str, Any] = {"error": "", "starts": 0, "stage_began": None, "stage_done": 0, "stage_total": 0}
MAX_PASSWORD = 200


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


def add_file(project: Project, name: str, chunks: Iterable[bytes], *, parent: Document | None = None) -> AddedFile:
    """Store a file and put its reading in line; the bytes are streamed to disk and never held as a whole.

    `parent` is the document that it was found in. Raises IntakeError when the name is empty, the file is too large or
    the disk is full; ClaimLost when the parent is gone.
    """
    shown = _shown_name(name)
    with _received(shown, chunks) as draft, store.exclusive(), transaction.atomic():
        document, duplicate = _document_for(project, shown, draft, parent)
        store.place(draft)
    return AddedFile(document.pk, shown, duplicate)


def replace_document(document: Document, chunks: Iterable[bytes]) -> AddedFile:
    """Put new content in a document's place, under its name; the old one is removed with everything made of it.

    Raises IntakeError like `add_file`, and when the project has the new content already.
    """
    name = document.name
    with _received(name, chunks) as draft, store.exclusive():
        with transaction.atomic():
            same = Document.objects.filter(project=document.project_id, sha256=draft.sha256).first()
            if same is not None:
                raise IntakeError(_here_already(same, document))
            parent = Document.objects.filter(pk=document.parent_id or 0).first()
            fresh, _ = _document_for(document.project, name, draft, parent)
            store.place(draft)
            gone = _remove_rows(document)
        _drop_unused(gone)
    kept.remove_left()
    return AddedFile(fresh.pk, name, duplicate=False)


def cancel_document(document: Document) -> bool:
    """Stop the reading of a document, now or before it begins; False if it had ended already.

    One that was being read again stays what it was: nothing of the reading before is lost until the next one is whole.
    """
    unfinished = Document.objects.filter(pk=document.pk, state__in=Document.UNFINISHED)
    read_before = Case(
        When(text_key="", then=Value(Document.State.CANCELLED)),
        When(warnings=[], then=Value(Document.State.READY)),
        default=Value(Document.State.WARNINGS),
    )
    cancelled = bool(unfinished.update(state=read_before, stage_began=None, error="", updated=timezone.now()))
    kept.remove_unless_unfinished(document.pk)
    return cancelled


def retry_document(document: Document, password: str | None = None) -> bool:
    """Read a document again from its stored bytes, with a new password if one is given.

    False if it is in line or being read already.
    """
    values = {} if password is None else {"password": password[:MAX_PASSWORD]}
    with transaction.atomic():
        rows = Document.objects.filter(pk=document.pk)
        resting = rows if is_left_behind(document) else rows.filter(state__in=Document.FINAL)
        if not resting.update(state=Document.State.QUEUED, **_BEGINNING, **values):
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
            gone = _remove_rows(document)
        _drop_unused(gone)
    kept.remove_left()


def remove_project(project: Project) -> None:
    """Remove a project with its documents, conversations and all bytes that nothing else uses."""
    with store.exclusive():
        with transaction.atomic():
            hashes = set(project.documents.values_list("sha256", flat=True))
            for document in project.documents.all():
                forget_document(document)
            Project.objects.filter(pk=project.pk).delete()
            erase()
        _drop_unused(hashes)
    kept.remove_left()


def remove_user(user: User) -> None:
    """Remove a user with all projects and everything in them."""
    for project in user.projects.all():
        remove_project(project)
    user.delete()


def _shown_name(name: str) -> str:
    shown = clean_name(name)
    if not shown:
        raise IntakeError("The file has no name.")
    return shown


@contextmanager
def _received(name: str, chunks: Iterable[bytes]) -> Iterator[store.Draft]:
    """Yield the bytes on disk; says in a sentence what of it cannot be done, also while the block runs."""
    limit = int(settings.MAX_UPLOAD_BYTES)
    try:
        with store.receive(chunks, limit) as draft:
            yield draft
    except store.TooLarge:
        megabytes = limit // (1024 * 1024)
        raise IntakeError(f"{name} is larger than {megabytes:,} MB, the most that one file may have.") from None
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT}:
            raise
        raise IntakeError(f"The disk is full: {name} was not stored. Free some space and add it again.") from error


def _document_for(project: Project, name: str, draft: store.Draft, parent: Document | None) -> tuple[Document, bool]:
    """Return the document with these bytes and whether it was there before, with a job if it was not."""
    if parent is not None and not Document.objects.filter(pk=parent.pk).exists():
        raise ClaimLost
    document, created = Document.objects.get_or_create(
        project=project, sha256=draft.sha256, defaults={"name": name, "size": draft.size, "parent": parent}
    )
    DocumentName.objects.get_or_create(document=document, name=name, within=parent)
    if created:
        enqueue(INGEST_JOB, document.pk)
        project.save(update_fields=["updated"])
    return document, not created


def _remove_rows(document: Document) -> set[str]:
    """Remove a document with its attachments; return the hashes of what may be unused now. In a transaction."""
    _keep_shared_attachments(document)
    family = _family(document)
    for member in family:
        forget_document(member)
    Document.objects.filter(pk=document.pk).delete()
    erase()
    return {member.sha256 for member in family}


def _keep_shared_attachments(document: Document) -> None:
    """Give attachments that came another way as well, from a person or within another document, to that one."""
    members = {member.pk for member in _family(document)}
    for child in document.attachments.all():
        other = child.names.exclude(within__in=members).order_by(F("within_id").asc(nulls_first=True)).first()
        if other is None:
            _keep_shared_attachments(child)
        else:
            Document.objects.filter(pk=child.pk).update(parent=other.within, name=other.name)


def _family(document: Document) -> list[Document]:
    """Return a document and all attachments below it."""
    return [document, *(member for child in document.attachments.all() for member in _family(child))]


def _here_already(same: Document, document: Document) -> str:
    if same.pk == document.pk:
        return f"This is the content that {document.name} has already."
    return f"The project has this content already, as {same.name}. Remove {document.name} if it is out of date."


def _drop_unused(hashes: set[str]) -> None:
    """Delete content that no row names; after the rows are gone for good, so that no row is ever without its bytes."""
    used = set(Document.objects.filter(sha256__in=hashes).values_list("sha256", flat=True))
    for sha256 in hashes - used:
        store.remove(sha256)
