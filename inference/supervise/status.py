"""The file in which the supervisor says how its children are: its form, writing it whole, and reading it."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from inference.private import write_private
from inference.supervise.policy import ChildState
from inference.switching.report import ModelReport

FILE_NAME = "supervisor.json"
CLOCK_SLACK_S = 2.0
"""The start time of a process is computed from the boot time, which moves by a second when the clock is set."""


@dataclass(frozen=True)
class ChildStatus:
    """One child: `pid` 0 while there is no process; `last_exit` is how it ended last time, in words."""

    state: ChildState = ChildState.STOPPED
    pid: int = 0
    restarts: int = 0
    last_exit: str = ""


@dataclass(frozen=True)
class SupervisorStatus:
    """The supervisor (process and its start time in seconds since the epoch), where the site answers, the children.

    `model` is how the model's process is, None where the supervisor keeps none.
    """

    pid: int
    started: float
    address: str = ""
    children: dict[str, ChildStatus] = field(default_factory=dict)
    model: ModelReport | None = None

    def is_alive(self) -> bool:
        """Tell whether the supervisor that wrote this still runs; another process with its number does not count."""
        try:
            return abs(psutil.Process(self.pid).create_time() - self.started) <= CLOCK_SLACK_S
        except (psutil.Error, ValueError):
            return False


def own_status(address: str, children: dict[str, ChildStatus], model: ModelReport | None = None) -> SupervisorStatus:
    """Return the status of the supervisor that calls this."""
    return SupervisorStatus(os.getpid(), psutil.Process().create_time(), address, children, model)


def write(run_dir: Path, status: SupervisorStatus) -> None:
    """Replace the status file in one step, so that a reader sees the old or the new one, never half of it."""
    write_private(run_dir / FILE_NAME, json.dumps(asdict(status)))


def read(run_dir: Path) -> SupervisorStatus | None:
    """Return the status of the supervisor that runs now; None when none does, whatever an old file says."""
    try:
        data = json.loads((run_dir / FILE_NAME).read_text())
        children = {
            name: ChildStatus(ChildState(child["state"]), child["pid"], child["restarts"], child["last_exit"])
            for name, child in data["children"].items()
        }
        model = ModelReport.from_json(data["model"]) if data.get("model") else None
        status = SupervisorStatus(int(data["pid"]), float(data["started"]), str(data["address"]), children, model)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None  # none written yet, or written by something else: no supervisor of ours either way
    return status if status.is_alive() else None


def remove(run_dir: Path) -> None:
    """Take the status file away; nothing runs any more."""
    (run_dir / FILE_NAME).unlink(missing_ok=True)
