"""Says of a project's documents how far their reading is: each one's row, and the line above them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import PurePath

from django.utils import timezone

from projects.intake.progress import Measured, Underway, rest_of, seconds_left
from projects.models import Document, Project

State = Document.State

MEASURED_FROM = 20
"""Files read last that tell how fast reading goes."""
PAGED = {".pdf", ".pptx", ".tif", ".tiff"}
"""Endings of files whose units of progress are what people call pages."""


@dataclass(frozen=True)
class Reading:
    """How far the reading of one document is; `total` is 0 while that is not known."""

    done: int
    total: int
    words: str


@dataclass(frozen=True)
class Row:
    """A document as the desk lists it. `also` are its other names, `within` the name of what it is attached to."""

    document: Document
    also: tuple[str, ...]
    within: str
    reading: Reading | None
    notes: tuple[str, ...]


@dataclass(frozen=True)
class Listing:
    """A project's documents. `version` names what stands still: the same one means that only progress has changed."""

    rows: tuple[Row, ...]
    line: str
    version: str

    @property
    def moving(self) -> bool:
        """Whether a document is waiting or being read."""
        return any(row.reading for row in self.rows)


def listing_of(project: Project) -> Listing:
    """Return how the documents of a project stand now; a handful of queries however many there are."""
    now = timezone.now()
    documents = list(project.documents.select_related("parent").prefetch_related("names"))
    rows = tuple(_row(document, now) for document in documents)
    unfinished = [document for document in documents if not document.is_final]
    line = overall(documents, _seconds_left(unfinished, now)) if unfinished else ""
    return Listing(rows, line, _version(rows))


def overall(documents: Sequence[Document], left: float | None) -> str:
    """Return '12 of 40 files ready, about 3 minutes left', and how many need somebody."""
    ready = sum(document.is_answerable for document in documents)
    line = f"{ready:,} of {len(documents):,} file{'s' * (len(documents) != 1)} ready"
    if left is not None:
        line += f", {about(left)} left"
    failed = sum(document.state == State.FAILED for document in documents)
    locked = sum(document.state == State.NEEDS_PASSWORD for document in documents)
    needs = [f"{failed:,} could not be read"] * bool(failed)
    needs += [f"{locked:,} need{'s' * (locked == 1)} a password"] * bool(locked)
    return "; ".join([line, *needs])


def about(seconds: float) -> str:
    """Return a duration as a promise that can be kept: 'less than a minute', 'about 3 minutes', 'about 2 hours'."""
    if seconds < 50:
        return "less than a minute"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"about {max(minutes, 1)} minute{'s' * (minutes > 1)}"
    hours = round(seconds / 3600)
    return f"about {hours} hour{'s' * (hours > 1)}"


def _row(document: Document, now: datetime) -> Row:
    names = [name.name for name in document.names.all() if name.name != document.name]
    return Row(
        document,
        also=tuple(dict.fromkeys(names)),
        within=document.parent.name if document.parent else "",
        reading=None if document.is_final else _reading(document, now),
        notes=_notes(document),
    )


def _notes(document: Document) -> tuple[str, ...]:
    """Return what a person should know of a document that has been read."""
    if document.error:
        return (document.error,)
    if document.state == State.WARNINGS:
        return tuple(document.warnings)
    if document.is_answerable and document.pages:
        return (f"{document.pages:,} page{'s' * (document.pages != 1)}",)
    return ()


def _reading(document: Document, now: datetime) -> Reading:
    done, total = document.stage_done, document.stage_total
    if not total:
        return Reading(0, 0, "")
    if document.state == State.INDEXING:
        return Reading(done, total, f"{100 * done // total} %")
    far = f"{done:,} of {total:,} pages" if _has_pages(document) else f"{100 * done // total} %"
    if document.state == State.QUEUED:
        return Reading(done, total, f"{far}, goes on after what came since")
    left = rest_of(_underway(document, now))
    return Reading(done, total, far if left is None else f"{far}, {about(left)} left")


def _has_pages(document: Document) -> bool:
    return PurePath(document.name).suffix.lower() in PAGED


def _seconds_left(unfinished: Sequence[Document], now: datetime) -> float | None:
    """Return when all of these will be read, with what other projects have in line before them."""
    last = max(document.pk for document in unfinished)
    others = Document.objects.filter(state__in=Document.UNFINISHED, pk__lt=last)
    ahead = [*unfinished, *others.exclude(project=unfinished[0].project_id)]
    underway = [_underway(document, now) for document in ahead if document.state != State.QUEUED]
    return seconds_left(_measured(), underway, [document.size for document in ahead if document.state == State.QUEUED])


def _measured() -> list[Measured]:
    """Return the files that were read last; the moment at which reading one began stays in its row."""
    read = Document.objects.filter(state__in=Document.ANSWERABLE, stage_began__isnull=False).order_by("-updated")
    rows = read.values_list("size", "stage_began", "updated")[:MEASURED_FROM]
    return [Measured(size, max((ended - began).total_seconds(), 0.0)) for size, began, ended in rows if began]


def _underway(document: Document, now: datetime) -> Underway:
    seconds = (now - document.stage_began).total_seconds() if document.stage_began else 0.0
    return Underway(document.size, max(seconds, 0.0), document.stage_done, document.stage_total, document.stage_from)


def _version(rows: Sequence[Row]) -> str:
    shown = [(row.document.pk, row.document.name, row.document.state, row.also, row.within, row.notes) for row in rows]
    return hashlib.sha256(repr(shown).encode()).hexdigest()[:16]
