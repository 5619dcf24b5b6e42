"""Folders for the files within a file, while it is read."""

from __future__ import annotations

import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from django.conf import settings


@contextmanager
def folder() -> Iterator[Path]:
    """Yield an empty folder that the owner alone can enter; it is gone afterwards."""
    path = _place() / f"{os.getpid()}-{secrets.token_hex(8)}"
    path.mkdir(parents=True, mode=0o700)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def remove_left() -> int:
    """Delete folders whose process was killed; return how many."""
    left = [path for path in _place().glob("*-*") if not _lives(path.name.partition("-")[0])]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return len(left)


def _place() -> Path:
    return Path(settings.HOME) / "unpacked"


def _lives(pid: str) -> bool:
    return pid.isdecimal() and psutil.pid_exists(int(pid))
