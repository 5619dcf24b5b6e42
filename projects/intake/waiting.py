"""Waiting until documents can be searched, and until they have been read ahead."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from django.conf import settings

from inference.supervise import status
from inference.supervise.policy import ChildState
from projects.intake.pipeline import LEARN_JOB, ingest
from projects.models import Document
from study.progress import Progress, is_reader_running, progress
from study.queue import ids_in_line

POLL_S = 0.3
STUDY_POLL_S = 1.0
SIGN_OF_LIFE_S = 30.0

OPEN = ("waiting", "running")


class NothingReads(Exception):
    """What is waited for does not come by itself; the message is for a person."""


def wait_until_indexed(document_ids: Sequence[int], progress: Callable[[int, int], None]) -> None:
    """Return when every document is in a final state, with its attachments.

    `progress` gets (done, total) at each change and now and then.
    The worker of a running Readahead does the reading. While none runs, this process does it: `ingest` is safe beside
    a worker that comes up meanwhile, and the jobs left in line find their documents done.
    """
    far, told = (-1, -1), 0.0
    while True:
        everything = _with_attachments(document_ids)
        unfinished = _unfinished(everything)
        now = (len(everything) - len(unfinished), len(everything))
        if now != far or time.monotonic() - told > SIGN_OF_LIFE_S:
            far, told = now, time.monotonic()
            progress(*far)
        if not unfinished:
            return
        if is_running():
            time.sleep(POLL_S)
        else:
            ingest(unfinished[0])


def is_running() -> bool:
    """Tell whether the worker of `manage.py up` runs for this data folder, or did until a moment ago."""
    supervisor = status.read(settings.RUN_DIR)
    worker = supervisor.children.get("worker") if supervisor else None
    return worker is not None and worker.state is not ChildState.STOPPED


def wait_until_read(project_id: int, document_ids: Sequence[int], tell: Callable[[str], None]) -> list[str]:
    """Return when these documents, and what is drawn together from them, have been read ahead.

    Returns the errors of those that could not be. `tell` gets how far it is, at each change and now and then. Raises
    NothingReads when no reader runs.
    """
    said, told = "", 0.0
    while True:
        require_reader()
        now = progress(project_id)
        line = _line(now)
        if line != said or time.monotonic() - told > SIGN_OF_LIFE_S:
            said, told = line, time.monotonic()
            tell(line)
        wanted = _readable(_with_attachments(document_ids))
        if _is_read(now, wanted):
            return [task.error for task in now.tasks if task.error and task.document_id in {*wanted, None}]
        time.sleep(STUDY_POLL_S)


def require_reader() -> None:
    """Check that documents are read ahead by somebody. Raises NothingReads."""
    if not is_reader_running():
        raise NothingReads("Readahead is not running, and reading ahead needs it. Start it (make run), then try again.")


def _is_read(now: Progress, wanted: set[int]) -> bool:
    """Tell whether each document has its task and none is open; the digest's task comes with the first of them."""
    known = {task.document_id for task in now.tasks}
    in_question = [task for task in now.tasks if task.document_id in {*wanted, None}]
    on_their_way = wanted & ids_in_line(LEARN_JOB) - known
    return wanted <= known and not on_their_way and all(task.state not in OPEN for task in in_question)


def _line(now: Progress) -> str:
    """Return '3 of 9 documents read ahead (waiting: paused)'."""
    why = f" (waiting: {now.reason})" if now.reason else ""
    return f"{now.read:,} of {now.total:,} documents read ahead{why}"


def _readable(document_ids: set[int]) -> set[int]:
    rows = Document.objects.filter(pk__in=document_ids, state__in=Document.ANSWERABLE)
    return set(rows.values_list("pk", flat=True))


def _unfinished(document_ids: set[int]) -> list[int]:
    """Return those that are neither final nor gone, in the order in which they were added."""
    rows = Document.objects.filter(pk__in=document_ids).exclude(state__in=Document.FINAL)
    return list(rows.order_by("pk").values_list("pk", flat=True))


def _with_attachments(document_ids: Sequence[int]) -> set[int]:
    known, level = set(document_ids), set(document_ids)
    while level:
        level = set(Document.objects.filter(parent_id__in=level).values_list("pk", flat=True)) - known
        known |= level
    return known
