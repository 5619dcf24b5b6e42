"""The process of one child, with whatever it starts: run, asked to end, killed, and known to be gone."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from inference.supervise import processes
from inference.supervise.policy import describe_exit
from inference.supervise.processes import Mark


class Handle:
    """Holds at most one process at a time; `last_exit` is how the one before ended, in words."""

    def __init__(self, mark: Mark, log: Path, cwd: Path) -> None:
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None
        self.last_exit = ""
        self._mark = mark
        self._cwd = cwd

    @property
    def pid(self) -> int:
        """Its number, 0 when there is none."""
        return self.process.pid if self.process else 0

    def start(self, command: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it, with `environment` beside our own variables. Raises OSError."""
        self.process = processes.spawn(command, self._mark, self.log, self._cwd, {**os.environ, **environment})

    def is_alive(self) -> bool:
        """Tell whether it runs, or anything that it has left.

        What it left still works on its jobs, and would meet its successor: that is killed once the process has ended.
        """
        if self.process is None:
            return False
        code = self.process.poll()
        if code is None or processes.kill_all(self._mark):
            return True
        self.process, self.last_exit = None, describe_exit(code)
        return False

    def end(self) -> None:
        """Ask it to end."""
        if self.process is not None:
            self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """Take it away with all that it has started."""
        processes.kill_all(self._mark)
