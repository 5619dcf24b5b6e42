"""What the supervisor decides when a child ends: pure functions of what happened, without a clock or a process."""

from __future__ import annotations

import signal
from dataclasses import dataclass
from enum import StrEnum

FIRST_DELAY_S = 0.5
LONGEST_DELAY_S = 30.0
CALM_S = 60.0
"""A child that lived this long has recovered: its next crash counts as the first."""


class ChildState(StrEnum):
    """Life of a child: STOPPED → RUNNING → WAITING (ended by itself, to be started again) → RUNNING … → STOPPED."""

    STOPPED = "stopped"
    RUNNING = "running"
    WAITING = "waiting"


@dataclass(frozen=True)
class Restart:
    """When to start a child again: after `delay_s`; `streak` counts the crashes in a row, this one included."""

    delay_s: float
    streak: int


def after_exit(streak: int, lived_s: float) -> Restart:
    """Decide on a child that ended by itself after `lived_s` seconds, `streak` crashes in a row before this one."""
    streak = 1 if lived_s >= CALM_S else streak + 1
    # The exponent is bounded because a child that crashes for weeks would overflow the float.
    return Restart(min(FIRST_DELAY_S * 2.0 ** min(streak - 1, 16), LONGEST_DELAY_S), streak)


def describe_exit(code: int) -> str:
    """Return an exit status as `subprocess` gives it in words: negative numbers are signals."""
    if code >= 0:
        return f"exit code {code}"
    try:
        return f"killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"killed by signal {-code}"
