"""Making sure that a file is on disk, whole and checked, while somebody waits for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from filelock import Timeout

from inference.catalogue import ModelEntry
from inference.fetch.delivery import Source
from inference.fetch.errors import FetchError
from inference.fetch.events import Note, Report, Waiting
from inference.fetch.jobs import Job, advance, alone, disk_trouble, failure, is_there, job_of
from inference.fetch.policy import AT_THE_TERMINAL, Ask, Done, GiveUp, Position, start

OTHER_PROCESS = "another process is fetching this model"


@dataclass(frozen=True)
class Clock:
    """Time as a fetch sees it, replaceable in tests."""

    now: Callable[[], datetime] = field(default=lambda: datetime.now(UTC))
    sleep: Callable[[float], None] = time.sleep


def ensure_installed(
    entry: ModelEntry,
    models_dir: Path,
    report: Report,
    sources: Sequence[Source] | None = None,
    clock: Clock | None = None,
) -> Path:
    """Return the path of the entry's file; fetch it first unless it is there and has the right checksum.

    An interrupted fetch goes on where it stopped. Two processes never fetch the same file: the second one waits and
    then finds it done. `sources` replaces the catalogue's origins. Raises FetchError with a sentence for a person.
    """
    job = job_of(entry, models_dir)
    return ensure(job if sources is None else replace(job, sources=sources), report, clock or Clock())


def ensure(job: Job, report: Report, clock: Clock | None = None) -> Path:
    """Return the path of a job's file once it is there. Raises FetchError."""
    try:
        if is_there(job, report):
            return job.target
        try:
            with alone(job.target, 0):
                _run(job, report, clock or Clock())
        except Timeout:
            report(Waiting(OTHER_PROCESS))
            with alone(job.target):
                _run(job, report, clock or Clock())
    except OSError as error:
        raise disk_trouble(error, job.target.parent) from error
    return job.target


def _run(job: Job, report: Report, clock: Clock) -> None:
    if is_there(job, report):
        return
    position = start(len(job.sources))
    while True:
        match advance(job, position, report, AT_THE_TERMINAL):
            case Done():
                return
            case GiveUp() as given_up:
                raise FetchError(failure(job, given_up))
            case Ask() as ask:
                _tell(job, position, ask, report, clock)
                clock.sleep(ask.wait_s)
                position = ask.position


def _tell(job: Job, before: Position, ask: Ask, report: Report, clock: Clock) -> None:
    """Say why nothing moves for a while, why another source is asked, or that the file is begun anew."""
    left, at = before.queue[0], ask.position.queue[0]
    if at != left:
        cause = dict(ask.position.causes)[left]
        report(Note(f"{job.sources[left].name}: {cause}. Trying {job.sources[at].name}."))
    elif ask.position.restarts > before.restarts:
        report(Note(f"What was there of {job.target.name} cannot be used: {ask.reason}. Fetching it anew."))
    if ask.wait_s:
        report(Waiting(ask.reason, clock.now() + timedelta(seconds=ask.wait_s)))
