"""Tells one process from all others, so that what a dead one has left behind can be taken over."""

from __future__ import annotations

import os

import psutil

CLOCK_SLACK_S = 5
"""The start time of a process is computed from the boot time, which moves by a second when the clock is set."""


def own_identity() -> str:
    """Return the identity of this process: its number with its start, for numbers are given again."""
    return f"{os.getpid()}:{int(psutil.Process().create_time())}"


def is_alive(identity: str) -> bool:
    """Tell whether the process with this identity still runs; one that waits to be collected does not."""
    pid, _, started = identity.partition(":")
    try:
        process = psutil.Process(int(pid))
        same = abs(process.create_time() - int(started)) <= CLOCK_SLACK_S
        return same and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, ValueError):
        return False
