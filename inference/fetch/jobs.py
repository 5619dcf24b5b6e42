"""A file to fetch with all that it takes, and the single step that brings it further."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from inference.catalogue import ModelEntry
from inference.fetch import stamp
from inference.fetch.attempt import Attempt, Wanted
from inference.fetch.delivery import Source
from inference.fetch.errors import DiskFull, FetchError, Unusable
from inference.fetch.events import Checking, Note, Report
from inference.fetch.part import Part
from inference.fetch.policy import Ending, GiveUp, Patience, Position, Step, after
from inference.fetch.sources import sources_of


@dataclass(frozen=True)
class Job:
    """A file to fetch to `target`; `sources` are tried in order. `name` is for sentences.

    `accept` has the last word about a file that has no place in the catalogue; it raises Unusable.
    """

    name: str
    target: Path
    wanted: Wanted
    sources: Sequence[Source]
    accept: Callable[[Path], None] = lambda _: None


def job_of(entry: ModelEntry, models_dir: Path) -> Job:
    """Return the job of a model of the catalogue."""
    wanted = Wanted(entry.bytes, entry.sha256)
    return Job(entry.id, models_dir / entry.file, wanted, sources_of(entry, models_dir))


def is_there(job: Job, report: Report) -> bool:
    """Tell whether the right file is in its place already; one of the catalogue that is damaged is deleted.

    Raises Unusable when the place is taken by another file, which may be somebody's.
    """
    target, wanted = job.target, job.wanted
    if not target.exists():
        return False
    size = target.stat().st_size
    may_be = bool(wanted.sha256) and wanted.bytes in (0, size)
    if may_be and stamp.checksum(target, lambda done: report(Checking(done, size))) == wanted.sha256:
        return True
    if not wanted.bytes:
        raise Unusable(f"Another model is called {target.name} already. Delete it first.")
    report(Note(f"{target.name} is damaged (wrong checksum) and is deleted. Fetching it anew."))
    target.unlink()
    return False


def advance(job: Job, position: Position, report: Report, patience: Patience) -> Step:
    """Make one attempt at the source at hand and return what to do next; after `Done` the file has its name.

    Raises FetchError where no other attempt can help: no room, a folder that cannot be used, a file of no use.
    """
    part = Part(job.target)
    try:
        attempt = Attempt(job.sources[position.queue[0]], part, job.wanted, report)
        outcome = attempt.run()
        if outcome.ending is Ending.WHOLE:
            job.accept(part.path)
            part.finish(attempt.sha256)
    except Unusable:
        part.discard()
        raise
    except OSError as error:
        raise disk_trouble(error, job.target.parent) from error
    return after(position, outcome, patience)


def failure(job: Job, given_up: GiveUp) -> str:
    """Return the sentence for a file that no source has brought."""
    causes = "; ".join(f"{job.sources[source].name}: {cause}" for source, cause in given_up.causes)
    return (
        f"{job.name} could not be fetched ({causes}). Check the network and try again, what has arrived is kept; "
        f"or put the file at {job.target} yourself."
    )


@contextmanager
def alone(target: Path, timeout_s: float = -1) -> Iterator[None]:
    """Keep all other processes from fetching to the same place, those of other installations included.

    Raises `filelock.Timeout` when one does; a negative timeout waits for its end.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(target.with_name(f"{target.name}.lock"))
    lock.acquire(timeout=timeout_s)
    try:
        yield
    finally:
        lock.release()


def disk_trouble(error: OSError, models_dir: Path) -> FetchError:
    """Return what an error of the operating system means for a fetch."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(models_dir)
    return FetchError(f"The folder for models, {models_dir}, cannot be used: {error.strerror or error}.")
