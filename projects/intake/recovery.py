"""Putting right, before a worker's first job, what a process that died has left behind."""

from __future__ import annotations

import logging

from django.db import transaction
from django.db.models import F

from projects.intake import kept, store, unpacked
from projects.intake.renewal import renew
from projects.intake.service import INGEST_JOB
from projects.models import Document
from study.queue import enqueue, ids_in_line, release_taken

logger = logging.getLogger(__name__)


def recover() -> None:
    """Put interrupted documents back in line, renew what is out of date, and delete bytes that no document names."""
    renew()
    lines = put_back()
    files = remove_unused() + unpacked.remove_left() + kept.remove_left()
    if lines or files:
        logger.info("%d documents were put back in line, %d unused files deleted", lines, files)


def put_back() -> int:
    """Let every unfinished document wait with a job of its own; return how many had none or were being read.

    `manage.py ingest` may be reading one of them meanwhile: it stops at its next step, and the worker reads it.
    """
    release_taken()
    cut_off = Document.objects.filter(state__in=(Document.State.EXTRACTING, Document.State.INDEXING))
    with transaction.atomic():
        in_line = ids_in_line(INGEST_JOB)
        # While a process of its own had the file open, the file cannot have been what brought the worker down.
        blameless = Document.objects.filter(state=Document.State.EXTRACTING, starts__gt=0)
        blameless.update(starts=F("starts") - 1)
        interrupted = cut_off.update(state=Document.State.QUEUED, stage_began=None)
        waiting = Document.objects.filter(state=Document.State.QUEUED).order_by("pk").values_list("pk", flat=True)
        lost = [pk for pk in waiting if pk not in in_line]
        for pk in lost:
            enqueue(INGEST_JOB, pk)
    return max(interrupted, len(lost))


def remove_unused() -> int:
    """Delete stored bytes that no document names, and drafts that nobody writes any more; return how many.

    They are left by a process that was killed between a row and its bytes, in either order.
    """
    with store.exclusive():
        used = set(Document.objects.values_list("sha256", flat=True))
        unused = [sha256 for sha256 in store.contents() if sha256 not in used]
        for sha256 in unused:
            store.remove(sha256)
    return len(unused) + store.remove_stale_drafts()
