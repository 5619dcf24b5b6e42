"""Working on downloads: takes the next one in line, brings it a step further, and stores how far it is."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.db.models import Q
from django.utils import timezone
from filelock import Timeout

from inference.catalogue import find_file
from inference.errors import InferenceError
from inference.fetch.addresses import job_of_address
from inference.fetch.ensure import OTHER_PROCESS
from inference.fetch.errors import FetchError
from inference.fetch.events import Checking, Event, Fetching, Note, Waiting
from inference.fetch.jobs import Job, advance, alone, disk_trouble, failure, is_there, job_of
from inference.fetch.part import Part
from inference.fetch.policy import IN_THE_BACKGROUND, Ask, Done, GiveUp, Position, start
from inference.identity import is_alive
from inference.installed import import_file
from inference.models import Download

logger = logging.getLogger(__name__)

STORE_EVERY_S = 1.0
LOCKED_S = 5.0
"""Time until a file that another process fetches is looked after again."""
UNEXPECTED = "Something unexpected went wrong; logs/fetcher.log says what. Try again: what has arrived is kept."

State = Download.State


class Cancelled(Exception):
    """The download is not this worker's any more."""


class RowReport:
    """A `Report` that stores what happens in the row of a download; it raises `Cancelled` when a person has."""

    def __init__(self, row: Download, clock: Callable[[], float] = time.monotonic) -> None:
        self._row = row
        self._clock = clock
        self._kind: type[Event] | None = None
        self._due_at = 0.0

    def __call__(self, event: Event) -> None:
        """Store one event; of a fast series one in a second."""
        if type(event) is self._kind and self._clock() < self._due_at:
            return
        self._kind, self._due_at = type(event), self._clock() + STORE_EVERY_S
        match event:
            case Fetching(done, total, speed, eta_s):
                figures = {"bytes_done": done, "bytes_total": total, "speed": speed, "eta_s": eta_s}
                store(self._row, state=State.FETCHING, note="", **figures)
            case Checking(done, total):
                store(self._row, state=State.CHECKING, bytes_done=done, bytes_total=total, speed=None, eta_s=None)
            case Note(text) | Waiting(text):
                store(self._row, note=text[:500])


def store(row: Download, **fields: Any) -> None:
    """Write fields of a row that this worker has in hand. Raises Cancelled when it has not any more."""
    mine = Download.objects.filter(pk=row.pk, worker=row.worker, state__in=Download.IN_HAND)
    if not mine.update(updated=timezone.now(), **fields):
        raise Cancelled


def put_back(row: Download, wait_s: float, **fields: Any) -> None:
    """Put a row back in line, for `wait_s` seconds at least. Raises Cancelled."""
    until = timezone.now() + timedelta(seconds=wait_s) if wait_s else None
    figures = {"bytes_done": _arrived(row), "speed": None, "eta_s": None}
    store(row, **{"state": State.WAITING, "until": until, "worker": "", **figures, **fields})


def end(row: Download, state: Download.State, **fields: Any) -> None:
    """Store how a download ended. Raises Cancelled."""
    store(row, state=state, until=None, worker="", speed=None, eta_s=None, note="", **fields)


def _arrived(row: Download) -> int:
    """Return the bytes that wait for the next attempt: what was stored last may be a second old, or thrown away."""
    return Part(Path(settings.MODELS_DIR) / row.file).bytes


def work_once(worker: str) -> bool:
    """Bring one download a step further; return whether there was one to work on. Raises DatabaseError."""
    release(worker)
    row = claim(worker)
    if row is None:
        return False
    try:
        _work(row)
    except Cancelled:
        logger.info("download %s was cancelled", row.pk)
    except (FetchError, InferenceError) as error:
        _fail(row, str(error))
    except DatabaseError:
        raise  # no fault of the download: it goes on when the database is there again
    except Exception:  # the boundary of one download: the others go on
        logger.exception("download %s failed", row.pk)
        _fail(row, UNEXPECTED)
    return True


def release(worker: str) -> int:
    """Put rows whose worker is gone back in line, and those that `worker`, which begins anew, left; return how many."""
    released = 0
    for pk, holder in Download.objects.filter(state__in=Download.IN_HAND).values_list("pk", "worker"):
        if holder == worker or not is_alive(holder):
            left = Download.objects.filter(pk=pk, worker=holder, state__in=Download.IN_HAND)
            released += left.update(state=State.WAITING, worker="", until=None, speed=None, eta_s=None)
    return released


def claim(worker: str) -> Download | None:
    """Take the first row in line that is due, and return it."""
    due = Q(until=None) | Q(until__lte=timezone.now())
    for row in Download.objects.filter(due, state__in=Download.IN_LINE):
        mine = {"state": State.FETCHING, "worker": worker, "until": None, "updated": timezone.now()}
        if Download.objects.filter(pk=row.pk, state=row.state, until=row.until).update(**mine):
            row.refresh_from_db()
            return row
    return None


def _fail(row: Download, error: str) -> None:
    try:
        end(row, State.FAILED, error=error, position=None, bytes_done=_arrived(row))
    except Cancelled:
        logger.info("download %s was cancelled", row.pk)


def _work(row: Download) -> None:
    if row.kind == Download.Kind.FILE:
        _bring_in(row)
        return
    job = _job(row)
    position = _position(row, len(job.sources))
    store(row, source=job.sources[position.queue[0]].name)
    report = RowReport(row)
    try:
        with alone(job.target, 0):
            step = Done() if is_there(job, report) else advance(job, position, report, IN_THE_BACKGROUND)
    except Timeout:
        put_back(row, LOCKED_S, note=OTHER_PROCESS)
        return
    except OSError as error:
        raise disk_trouble(error, job.target.parent) from error
    match step:
        case Done():
            size = job.target.stat().st_size
            end(row, State.DONE, bytes_done=size, bytes_total=size, error="", position=None)
        case GiveUp() as given_up:
            raise FetchError(failure(job, given_up))
        case Ask() as ask:
            state = State.LIMITED if ask.limited else State.WAITING
            note = _note(job, position, ask)
            put_back(row, ask.wait_s, state=state, note=note[:500], position=ask.position.to_json())


def _job(row: Download) -> Job:
    """Return what is to be fetched. Raises FetchError."""
    models_dir = Path(settings.MODELS_DIR)
    if row.kind == Download.Kind.ADDRESS:
        return job_of_address(row.origin, models_dir, row.sha256)
    if entry := find_file(row.file):
        return job_of(entry, models_dir)
    raise FetchError(f"{row.file} is not in the catalogue any more.")


def _position(row: Download, sources: int) -> Position:
    """Return where the fetch stands; from the beginning when the sources are others than they were."""
    if row.position:
        position = Position.from_json(row.position)
        if position.queue and max((*position.queue, *position.later)) < sources:
            return position
    return start(sources)


def _note(job: Job, before: Position, ask: Ask) -> str:
    """Return why the row waits, or why another source is asked."""
    left = before.queue[0]
    if ask.position.queue[0] != left and not ask.wait_s:
        return f"{job.sources[left].name}: {dict(ask.position.causes)[left]}"
    return ask.reason


def _bring_in(row: Download) -> None:
    """Take in a file of this machine."""
    report = RowReport(row)
    total = row.bytes_total
    report(Checking(0, total))
    model = import_file(Path(row.origin), Path(settings.MODELS_DIR), lambda done: report(Checking(done, total)))
    end(row, State.DONE, bytes_done=model.bytes, bytes_total=model.bytes, error="")
