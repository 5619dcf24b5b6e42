"""Wakes the process that fetches: at rest it is a small one without Django, which waits for a file to change."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

NAME = "fetch"
"""File in the folder of the running processes; its time of change is all that it says."""
POLL_S = 0.5


def ring(bell: Path) -> None:
    """Say that there is something to fetch."""
    bell.touch(mode=0o600)


def heard(bell: Path) -> int:
    """Return what changes with every ring."""
    try:
        return bell.stat().st_mtime_ns
    except OSError:
        return 0


def main() -> None:
    """Wait until the bell on the command line has been rung since `seen`, then become the command that follows."""
    bell, seen, *command = sys.argv[1:]
    while heard(Path(bell)) == int(seen):
        time.sleep(POLL_S)
    os.execv(command[0], command)  # noqa: S606 - a list of ours


if __name__ == "__main__":
    main()
