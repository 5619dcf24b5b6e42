"""A wall around processes: every call to another machine is refused and noted (standard library only)."""

from __future__ import annotations

import ipaddress
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
REACHES_OUT = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname")
NOTES = "READAHEAD_TEST_WALL"


class Outbound(Exception):
    """Something tried to reach another machine."""


class Wall:
    """An audit hook: it sees every use of a socket in its process, however it was made, and cannot be taken out again.

    `note` gets a line for each attempt.
    """

    def __init__(self, note: Callable[[str], None]) -> None:
        self.up = False
        self._note = note

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.up and event in REACHES_OUT and not _stays_here(event, arguments):
            self._note(f"{event} {arguments[1:] or arguments}")
            raise Outbound(event)


def _stays_here(event: str, arguments: tuple[Any, ...]) -> bool:
    # getaddrinfo and gethostbyname begin with the name, the others with the socket and its destination.
    target = arguments[0] if event.startswith("socket.get") else arguments[1]
    if isinstance(target, tuple):
        return _is_loopback(str(target[0]))
    return target is None or isinstance(target, bytes | bytearray) or target.startswith("/") or _is_loopback(target)


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


# --- Around the processes of the whole product ------------------------------------------------------------------------


def walled(notes: Path) -> dict[str, str]:
    """Return the environment that puts a wall into every Python process that inherits it; they write into `notes`."""
    return {"PYTHONPATH": os.pathsep.join(map(str, (ROOT / "tests/walled", ROOT))), NOTES: str(notes)}


def behind_wall(notes: Path) -> list[str]:
    """Return the commands of the processes that began behind the wall."""
    return _noted(notes, "began ")


def noted_attempts(notes: Path) -> list[str]:
    """Return what the processes tried."""
    return _noted(notes, "tried ")


def _noted(notes: Path, kind: str) -> list[str]:
    lines = notes.read_text().splitlines() if notes.exists() else []
    return [line.removeprefix(kind) for line in lines if line.startswith(kind)]
