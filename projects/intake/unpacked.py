"""Folders for the files within a file, while it is read."""

from __future__ import annotations

import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from inference.identity import is_alive, own_identity


@contextmanager
def folder() -> Iterator[Path]:
    """Yield an empty folder that the owner alone can enter; it is gone afterwards."""
    path = _place() / f"{own_identity()}-{secrets.token_hex(8)}"
    path.mkdir(parents=True, mode=0o700)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def remove_left() -> int:
    """Delete folders whose process was killed; return how many."""
    left = [path for path in _place().glob("*-*") if not is_alive(path.name.partition("-")[0])]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)
    return len(left)


def _place() -> Path:
    return Path(settings.HOME) / "unpacked"
