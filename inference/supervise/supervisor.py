"""The loop that starts the children, starts them again when they end, and ends them together."""

from __future__ import annotations

import logging
import os
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inference.supervise import processes, status
from inference.supervise.policy import ChildState, after_exit, describe_exit
from inference.supervise.processes import Mark
from inference.supervise.signals import Signals
from inference.supervise.status import ChildStatus

logger = logging.getLogger(__name__)

GRACE_S = 6.0
"""Time a child has to end by itself. Jobs and answers are safe to cut: rows say how far they came."""
IDLE_S = 2.0
"""Longest sleep of the loop; signals and due restarts end it earlier."""
READY_POLL_S = 0.25


@dataclass(frozen=True)
class ChildSpec:
    """A child to keep running. `command` is asked for before every start, and may prepare what the start needs.

    `environment` is what it has beside the supervisor's own variables.
    """

    name: str
    command: Callable[[], Sequence[str]]
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Places:
    """Where a supervisor works: status files, logs, and the folder in which the children run."""

    run_dir: Path
    logs_dir: Path
    cwd: Path


class Child:
    """One child and its history in this run."""

    def __init__(self, spec: ChildSpec, log: Path) -> None:
        self.spec = spec
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None
        self.state = ChildState.STOPPED
        self.started_at = 0.0
        self.due_at = 0.0
        self.streak = 0
        self.restarts = 0
        self.last_exit = ""

    @property
    def status(self) -> ChildStatus:
        return ChildStatus(self.state, self.process.pid if self.process else 0, self.restarts, self.last_exit)


class Supervisor:
    """Keeps `specs` running until the process is asked to stop; `say` is told, a sentence at a time, what happens."""

    def __init__(self, specs: Sequence[ChildSpec], places: Places, say: Callable[[str], None]) -> None:
        self._places = places
        self._mark = Mark(places.run_dir, secrets.token_hex(8))
        self._children = [Child(spec, places.logs_dir / f"{spec.name}.log") for spec in specs]
        self._say = say
        self._address = ""
        self._watchdog: subprocess.Popen[bytes] | None = None

    def run(self, address: str, is_ready: Callable[[], bool]) -> None:
        """Start everything, say the address once `is_ready`, and return when all children have ended after a signal."""
        self._address = address
        ready = False
        with Signals() as signals:
            try:
                while not signals.stop_requests:
                    self._watch()
                    if not ready and (ready := is_ready()):
                        self._say(f"Readahead is ready: {address} (Ctrl-C stops it)")
                    signals.wait(min(self._until_due(), IDLE_S if ready else READY_POLL_S))
                self._say("Stopping …")
            finally:
                self._end(signals)
        self._say("Stopped.")

    def _watch(self) -> None:
        """Notice the children that ended and start those that are due."""
        if self._watchdog is None or self._watchdog.poll() is not None:
            self._watchdog = self._start_watchdog()
        before = [child.status for child in self._children]
        for child in self._children:
            if child.process and child.process.poll() is not None:
                self._on_exit(child, child.process.returncode)
            if child.state is not ChildState.RUNNING and time.monotonic() >= child.due_at:
                self._start(child)
        if before != [child.status for child in self._children]:
            self._write_status()

    def _start(self, child: Child) -> None:
        again = child.state is ChildState.WAITING
        child.started_at = time.monotonic()
        try:
            command = child.spec.command()
            environment = {**os.environ, **child.spec.environment}
            child.process = processes.spawn(command, self._mark_of(child), child.log, self._places.cwd, environment)
        except Exception as error:  # the boundary of one child: whatever keeps it down must not take the others along
            logger.exception("%s could not be started", child.spec.name)
            self._wait_for_restart(child, f"could not be started: {error}")
            return
        child.state = ChildState.RUNNING
        if again:
            child.restarts += 1
            self._say(f"{child.spec.name} is running again.")

    def _on_exit(self, child: Child, code: int) -> None:
        child.process = None
        # What it left behind still works on its jobs, and would meet its successor.
        processes.kill_all(self._mark_of(child))
        self._wait_for_restart(child, describe_exit(code))

    def _wait_for_restart(self, child: Child, cause: str) -> None:
        restart = after_exit(child.streak, time.monotonic() - child.started_at)
        child.streak = restart.streak
        child.due_at = time.monotonic() + restart.delay_s
        child.state = ChildState.WAITING
        child.last_exit = cause
        self._say(f"{child.spec.name} ended ({cause}); it starts again in {restart.delay_s:g} s. Log: {child.log}")

    def _until_due(self) -> float:
        waiting = [child.due_at for child in self._children if child.state is ChildState.WAITING]
        return min(waiting, default=float("inf")) - time.monotonic()

    def _end(self, signals: Signals) -> None:
        """End all children at once; a second request to stop takes the patience out of it."""
        known = processes.find(self._mark)
        running = [child.process for child in self._children if child.process]
        for process in running:
            process.send_signal(signal.SIGTERM)

        def ended() -> bool:
            return signals.stop_requests > 1 or all(process.poll() is not None for process in running)

        processes.wait_until(ended, GRACE_S)
        left = processes.kill_all(self._mark, known)
        for process in running:
            process.poll()
        for child in self._children:
            child.process, child.state = None, ChildState.STOPPED
        if left:
            self._say(f"These processes could not be ended: {', '.join(map(str, left))}.")
        status.remove(self._places.run_dir)
        if self._watchdog and self._watchdog.stdin:
            self._watchdog.stdin.close()
            self._watchdog.wait()

    def _mark_of(self, child: Child) -> Mark:
        return Mark(self._mark.run_dir, self._mark.run, child.spec.name)

    def _write_status(self) -> None:
        children = {child.spec.name: child.status for child in self._children}
        try:
            status.write(self._places.run_dir, status.own_status(self._address, children))
        except OSError:  # a full disk: the children matter more than the file about them
            logger.exception("the supervisor's status could not be written")

    def _start_watchdog(self) -> subprocess.Popen[bytes]:
        arguments = [str(self._places.run_dir), self._mark.run]
        return subprocess.Popen(
            [sys.executable, "-m", "inference.supervise.watchdog", *arguments],
            cwd=self._places.cwd,
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
