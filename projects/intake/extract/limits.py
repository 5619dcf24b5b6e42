"""How much time and memory the reading of one file may take."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psutil

MEGABYTE = 1024 * 1024
LEAST_S, S_PER_MEGABYTE, MOST_SILENT_S = 60, 6, 600
"""Far beyond what any sound file takes from one page to the next, on a busy machine too."""
MOST_S = 4 * 3600
"""For a file that goes on and on: some thousand pages of pictures of text, on a slow machine."""
LEAST_BYTES = 2 * 1024 * MEGABYTE
BYTES_PER_BYTE = 8
"""What a packed office file unfolds to in memory."""


@dataclass(frozen=True)
class Limits:
    """What one reading may take: `silent` seconds without a page done, `seconds` in all, bytes of address space.

    A reader that tells no progress is silent from beginning to end.
    """

    silent: float
    seconds: float
    memory: int


def limits_for(size: int, machine: int) -> Limits:
    """Return the limits for a file of `size` bytes on a machine with `machine` bytes of memory.

    Half the machine is the most, since the model and the rest have to live too; every machine that can run a model has
    more than twice the least.
    """
    silent = min(LEAST_S + S_PER_MEGABYTE * size / MEGABYTE, MOST_SILENT_S)
    memory = min(LEAST_BYTES + BYTES_PER_BYTE * size, max(machine // 2, LEAST_BYTES))
    return Limits(silent, MOST_S, memory)


def limits_for_file(path: Path) -> Limits:
    """Return the limits for a file as it is on this machine."""
    size = path.stat().st_size if path.exists() else 0
    return limits_for(size, psutil.virtual_memory().total)


def too_long(seconds: float) -> str:
    """Say that a file was given up after so many seconds without an end in sight."""
    spent = f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
    return f"Reading this file took longer than {spent} and was given up. Save it anew or split it, and add it again."


def no_progress(seconds: float) -> str:
    """Say that a file was given up because its reader did not get on."""
    spent = f"{seconds / 60:.0f} minutes" if seconds >= 120 else f"{seconds:.0f} seconds"
    return (
        f"Reading this file got stuck: for {spent} no page was finished, and it was given up. Save it anew or split "
        "it, and add it again."
    )


def too_much_memory(limits: Limits) -> str:
    """Say that a file does not fit into the memory that one file may take."""
    return f"Reading this file takes more than the {gigabytes(limits)} of memory that one file may take. Split it up."


def gigabytes(limits: Limits) -> str:
    """Return the memory that may be taken, in words."""
    return f"{limits.memory / 1024**3:.1f} GB"
