"""Checksums of model files, remembered beside them so that a start does not hash a gigabyte again."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path

BLOCK = 1 << 20


def stamp_path(path: Path) -> Path:
    """Return where the checksum of `path` is remembered."""
    return path.with_name(path.name + ".sha256")


def hash_into(digest: hashlib._Hash, path: Path, on_bytes: Callable[[int], None] = lambda _: None) -> None:
    """Feed the whole file to `digest`; `on_bytes` gets the running total after each block."""
    done = 0
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            digest.update(block)
            done += len(block)
            on_bytes(done)


def checksum(path: Path, on_bytes: Callable[[int], None] = lambda _: None) -> str:
    """Return the SHA-256 of `path` as hex: remembered when size and time of change are the same, else computed."""
    if known := remembered(path):
        return known
    sha256 = compute(path, on_bytes)
    remember(path, sha256)
    return sha256


def compute(path: Path, on_bytes: Callable[[int], None] = lambda _: None) -> str:
    """Return the SHA-256 of `path` as hex and leave no trace beside it."""
    digest = hashlib.sha256()
    hash_into(digest, path, on_bytes)
    return digest.hexdigest()


def remembered(path: Path) -> str | None:
    """Return the checksum that was computed for exactly this state of the file, or None."""
    try:
        sha256, identity = stamp_path(path).read_text().split(maxsplit=1)
    except (OSError, ValueError):
        return None
    return sha256 if identity.strip() == _identity(path) else None


def remember(path: Path, sha256: str) -> None:
    """Write the checksum down; a folder that cannot be written to only costs hashing again next time."""
    with contextlib.suppress(OSError):
        stamp_path(path).write_text(f"{sha256} {_identity(path)}\n")


def _identity(path: Path) -> str:
    status = path.stat()
    return f"{status.st_size} {status.st_mtime_ns}"
