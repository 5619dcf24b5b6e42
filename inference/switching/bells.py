"""How other processes call the supervisor: two files whose times of change are all that they say.

A file costs a look at a clock where a database would be asked, and works with every database; the choice itself is a
row that is read when the bell has rung.
"""

from __future__ import annotations

from pathlib import Path

from inference.downloads.bell import heard, ring

CHOICE, WAKE = "model-chosen", "model-wanted"


def ring_choice(run_dir: Path) -> None:
    """Say that another model was chosen, or how it is to be run."""
    ring(run_dir / CHOICE)


def ring_wake(run_dir: Path) -> None:
    """Say that somebody wants an answer from a model that may be asleep."""
    ring(run_dir / WAKE)


class Bells:
    """Hears both; what was rung before it was made counts as heard."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        self._heard = {name: heard(run_dir / name) for name in (CHOICE, WAKE)}

    def take(self, name: str) -> bool:
        """Tell whether a bell was rung since it was asked for last."""
        before, now = self._heard[name], heard(self._run_dir / name)
        self._heard[name] = now
        return now != before

    def forget(self, name: str) -> None:
        """Take back that it was heard: what it asked for could not be done, and is to be tried again."""
        self._heard[name] = -1
