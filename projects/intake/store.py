"""The content store: uploaded bytes under their SHA-256, whatever they were called."""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from filelock import FileLock

DRAFT = "draft-"
STALE_S = 3600.0
"""A draft that has not grown for so long is no upload any more, however slow the line."""


class TooLarge(Exception):
    """More bytes arrived than the limit allows."""


@dataclass(frozen=True)
class Draft:
    """Bytes that are written to disk but have no place in the store yet."""

    path: Path
    sha256: str
    size: int


def path_of(sha256: str) -> Path:
    """Return where content with this hash lies, whether it is there or not."""
    return Path(settings.FILES_DIR) / sha256[:2] / sha256


@contextmanager
def exclusive() -> Iterator[None]:
    """Hold the store against other processes.

    Placing bytes belongs together with the row that points at them, and so does removing them: otherwise a removal
    could take the file away that an upload of the same content has just found in place.
    """
    with FileLock(Path(settings.FILES_DIR) / "lock", mode=0o600):
        yield


@contextmanager
def receive(chunks: Iterable[bytes], limit: int) -> Iterator[Draft]:
    """Write bytes to a draft, hashing as they come; the draft is gone afterwards unless it was placed.

    Raises TooLarge as soon as more than `limit` bytes have come, OSError when the disk refuses.
    """
    folder = Path(settings.FILES_DIR)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    path = folder / f"{DRAFT}{secrets.token_hex(8)}"
    try:
        yield _write(path, chunks, limit)
    finally:
        path.unlink(missing_ok=True)


def place(draft: Draft) -> None:
    """Give a draft its place in the store; content that is there already stays. Call it within `exclusive()`."""
    target = path_of(draft.sha256)
    if target.exists():
        return
    target.parent.mkdir(exist_ok=True, mode=0o700)
    draft.path.rename(target)
    _sync_folder(target.parent)


def remove(sha256: str) -> None:
    """Delete content; nothing happens if it is gone already. Call it within `exclusive()`."""
    target = path_of(sha256)
    target.unlink(missing_ok=True)
    with suppress(OSError):  # other content shares the folder
        target.parent.rmdir()


def contents() -> list[str]:
    """Return the hashes of everything in the store."""
    return [path.name for path in Path(settings.FILES_DIR).glob("??/*")]


def remove_stale_drafts() -> int:
    """Delete drafts that were last written to long ago, by a process that was killed; return how many."""
    now = time.time()
    stale = [path for path in Path(settings.FILES_DIR).glob(f"{DRAFT}*") if now - _written(path, now) > STALE_S]
    for path in stale:
        path.unlink(missing_ok=True)
    return len(stale)


def _written(path: Path, gone: float) -> float:
    try:
        return path.stat().st_mtime
    except FileNotFoundError:
        return gone


def _write(path: Path, chunks: Iterable[bytes], limit: int) -> Draft:
    digest = hashlib.sha256()
    size = 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        for chunk in chunks:
            size += len(chunk)
            if size > limit:
                raise TooLarge
            digest.update(chunk)
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    return Draft(path, digest.hexdigest(), size)


def _sync_folder(folder: Path) -> None:
    """Make a rename survive a power cut; not every platform can open a folder."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
