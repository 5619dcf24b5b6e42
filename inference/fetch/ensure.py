"""Making sure that a model file is on disk, whole and checked, whatever was there before."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from inference.catalogue import ModelEntry
from inference.fetch import stamp
from inference.fetch.errors import ChecksumMismatch, DiskFull, FetchError, SourceFailed
from inference.fetch.events import Checking, Note, Report, Waiting
from inference.fetch.meter import Meter
from inference.fetch.sources import Source, sources_of

SPARE_BYTES = 64_000_000
"""Left free on the disk, so that a model never takes the last byte from everything else."""


def ensure_installed(
    entry: ModelEntry, models_dir: Path, report: Report, sources: Sequence[Source] | None = None
) -> Path:
    """Return the path of the entry's file; fetch it first unless it is there and has the right checksum.

    An interrupted fetch goes on where it stopped. Two processes never fetch the same file: the second one waits and
    then finds it done. `sources` replaces the catalogue's origins. Raises FetchError with a sentence for a person.
    """
    path = models_dir / entry.file
    if _is_whole(path, entry, report):
        return path
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        with _only_one(models_dir / f"{entry.file}.lock", report):
            if not _is_whole(path, entry, report):
                _discard_damaged(path, report)
                _Fetch(entry, path, report).run(sources_of(entry, models_dir) if sources is None else sources)
    except OSError as error:
        raise _disk_trouble(error, models_dir) from error
    return path


def part_path(path: Path) -> Path:
    """Return where the bytes of an unfinished fetch of `path` are kept."""
    return path.with_name(path.name + ".part")


class _Fetch:
    """One run over the sources of one file; the length of the `.part` file is all the state that outlives it."""

    def __init__(self, entry: ModelEntry, path: Path, report: Report) -> None:
        self._entry = entry
        self._path = path
        self._part = part_path(path)
        self._report = report

    def run(self, sources: Sequence[Source]) -> None:
        causes: list[str] = []
        for source in sources:
            if causes:
                self._report(Note(f"{causes[-1]}. Trying {source.name}."))
            try:
                self._from_source(source)
            except SourceFailed as error:
                causes.append(f"{source.name}: {error}")
            else:
                return
        raise FetchError(
            f"{self._entry.id} could not be fetched ({'; '.join(causes)}). Check the network and try again, what "
            f"has arrived is kept; or put the file at {self._path} yourself."
        )

    def _from_source(self, source: Source) -> None:
        continued = self._resume_at() > 0
        try:
            self._fill(source)
        except ChecksumMismatch:
            if not continued:
                raise
            # The head came from an earlier run or from another source: this one may well be right.
            self._report(Note(f"What was there of {self._path.name} is damaged. Fetching it anew."))
            self._fill(source)

    def _fill(self, source: Source) -> None:
        """Append what is missing, then give the file its name; the bytes are hashed as they are written."""
        total, start = self._entry.bytes, self._resume_at()
        self._require_room(total - start + source.extra_bytes)
        digest = hashlib.sha256()
        if start:
            stamp.hash_into(digest, self._part, lambda done: self._report(Checking(done, total)))
        meter = Meter(total, self._report)
        meter.update(start)
        with self._part.open("ab") as file:
            # A whole `.part` was only not renamed yet: there is nothing to ask the source for.
            for block in source.read(start, meter) if start < total else ():
                file.write(block)
                digest.update(block)
                meter.update(file.tell())
            os.fsync(file.fileno())
        self._finish(digest.hexdigest())

    def _finish(self, sha256: str) -> None:
        if sha256 != self._entry.sha256:
            self._part.unlink()
            raise ChecksumMismatch("what was sent is not the file of the catalogue (wrong checksum), so it was deleted")
        self._part.replace(self._path)
        stamp.remember(self._path, sha256)

    def _resume_at(self) -> int:
        length = self._part.stat().st_size if self._part.exists() else 0
        if length > self._entry.bytes:
            self._part.unlink()
            return 0
        return length

    def _require_room(self, needed: int) -> None:
        free = shutil.disk_usage(self._path.parent).free
        if free < needed + SPARE_BYTES:
            raise DiskFull(self._path.parent, needed + SPARE_BYTES, free)


def _is_whole(path: Path, entry: ModelEntry, report: Report) -> bool:
    if not path.is_file() or path.stat().st_size != entry.bytes:
        return False
    return stamp.checksum(path, lambda done: report(Checking(done, entry.bytes))) == entry.sha256


def _discard_damaged(path: Path, report: Report) -> None:
    if path.exists():
        report(Note(f"{path.name} is damaged (wrong checksum) and is deleted. Fetching it anew."))
        path.unlink()


@contextmanager
def _only_one(lock_path: Path, report: Report) -> Iterator[None]:
    lock = FileLock(lock_path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        report(Waiting("another process is fetching this model"))
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def _disk_trouble(error: OSError, models_dir: Path) -> FetchError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return DiskFull(models_dir)
    return FetchError(f"The folder for models, {models_dir}, cannot be used: {error.strerror or error}.")
