"""The endpoint file: how the other processes find the running inference service and prove that they may call it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from inference.private import write_private

FILE_NAME = "inference.json"


@dataclass(frozen=True)
class Endpoint:
    """Address of a service, without a trailing slash, and the key it expects as bearer token."""

    url: str
    key: str
    pid: int = 0
    model: str = ""


def publish(run_dir: Path, endpoint: Endpoint) -> None:
    """Write the endpoint file for this user's eyes only; readers see the old or the new one, never a half."""
    write_private(run_dir / FILE_NAME, json.dumps(asdict(endpoint)))


def withdraw(run_dir: Path, pid: int) -> None:
    """Remove the file if it is still ours; a successor may have replaced it already."""
    current = read(run_dir)
    if current is not None and current.pid == pid:
        (run_dir / FILE_NAME).unlink(missing_ok=True)


def read(run_dir: Path) -> Endpoint | None:
    """Return what is published, or None when nothing is, or nothing that this version can read."""
    try:
        data = json.loads((run_dir / FILE_NAME).read_text())
        return Endpoint(**{name: data[name] for name in Endpoint.__dataclass_fields__ if name in data})
    except (FileNotFoundError, ValueError, TypeError):
        return None
