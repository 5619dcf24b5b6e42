"""The loop that starts the children, starts them again when they end, and ends them together."""

from __future__ import annotations

import logging
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from inference.supervise import processes, status
from inference.supervise.handle import Handle
from inference.supervise.policy import ChildState, after_exit
from inference.supervise.processes import Mark
from inference.supervise.signals import Signals
from inference.supervise.status import ChildStatus
from inference.switching.report import ModelReport

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


class Keeper(Protocol):
    """Who decides about one child by rules of its own; see `switching.keeper`."""

    name: str
    handle: Handle

    @property
    def report(self) -> ModelReport:
        """What it keeps running."""

    @property
    def status(self) -> ChildStatus:
        """How its process is."""

    @property
    def rest_s(self) -> float:
        """How long nobody needs to look."""

    def look(self) -> None:
        """Decide."""

    def act(self) -> None:
        """Do what was decided."""


KeeperMaker = Callable[[Handle, Callable[[str], None]], Keeper]


class Child:
    """One child and its history in this run."""

    def __init__(self, spec: ChildSpec, handle: Handle) -> None:
        self.spec = spec
        self.handle = handle
        self.state = ChildState.STOPPED
        self.started_at = 0.0
        self.due_at = 0.0
        self.streak = 0
        self.restarts = 0
        self.last_exit = ""

    @property
    def status(self) -> ChildStatus:
        return ChildStatus(self.state, self.handle.pid, self.restarts, self.last_exit)


class Supervisor:
    """Keeps `specs` running until the process is asked to stop; `say` is told, a sentence at a time, what happens."""

    def __init__(
        self,
        specs: Sequence[ChildSpec],
        places: Places,
        say: Callable[[str], None],
        keepers: Mapping[str, KeeperMaker] | None = None,
    ) -> None:
        """`keepers` are made here, by the names of the children that they keep; what they raise is raised."""
        self._places = places
        self._mark = Mark(places.run_dir, secrets.token_hex(8))
        self._children = [Child(spec, self._handle(spec.name)) for spec in specs]
        self._keepers = [make(self._handle(name), say) for name, make in (keepers or {}).items()]
        self._written: status.SupervisorStatus | None = None
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
                    signals.wait(min(self._until_due(), IDLE_S if ready else READY_POLL_S, *self._rests()))
                self._say("Stopping …")
            finally:
                self._end(signals)
        self._say("Stopped.")

    def _watch(self) -> None:
        """Notice the children that ended and start those that are due."""
        if self._watchdog is None or self._watchdog.poll() is not None:
            self._watchdog = self._start_watchdog()
        for child in self._children:
            if child.state is ChildState.RUNNING and not child.handle.is_alive():
                self._wait_for_restart(child, child.handle.last_exit)
            if child.state is not ChildState.RUNNING and time.monotonic() >= child.due_at:
                self._start(child)
        for keeper in self._keepers:
            keeper.look()
        self._write_status()  # before they act: who finds a process gone reads why
        for keeper in self._keepers:
            keeper.act()
        self._write_status()

    def _start(self, child: Child) -> None:
        again = child.state is ChildState.WAITING
        child.started_at = time.monotonic()
        try:
            child.handle.start(child.spec.command(), child.spec.environment)
        except Exception as error:  # the boundary of one child: whatever keeps it down must not take the others along
            logger.exception("%s could not be started", child.spec.name)
            self._wait_for_restart(child, f"could not be started: {error}")
            return
        child.state = ChildState.RUNNING
        if again:
            child.restarts += 1
            self._say(f"{child.spec.name} is running again.")

    def _wait_for_restart(self, child: Child, cause: str) -> None:
        restart = after_exit(child.streak, time.monotonic() - child.started_at)
        child.streak = restart.streak
        child.due_at = time.monotonic() + restart.delay_s
        child.state = ChildState.WAITING
        child.last_exit = cause
        again = f"it starts again in {restart.delay_s:g} s. Log: {child.handle.log}"
        self._say(f"{child.spec.name} ended ({cause}); {again}")

    def _until_due(self) -> float:
        waiting = [child.due_at for child in self._children if child.state is ChildState.WAITING]
        return min(waiting, default=float("inf")) - time.monotonic()

    def _rests(self) -> list[float]:
        return [keeper.rest_s for keeper in self._keepers]

    def _end(self, signals: Signals) -> None:
        """End all children at once; a second request to stop takes the patience out of it."""
        known = processes.find(self._mark)
        handles = [child.handle for child in self._children] + [keeper.handle for keeper in self._keepers]
        running = [handle.process for handle in handles if handle.process]
        for process in running:
            process.send_signal(signal.SIGTERM)

        def ended() -> bool:
            return signals.stop_requests > 1 or all(process.poll() is not None for process in running)

        processes.wait_until(ended, GRACE_S)
        left = processes.kill_all(self._mark, known)
        for process in running:
            process.poll()
        for handle in handles:
            handle.process = None
        for child in self._children:
            child.state = ChildState.STOPPED
        if left:
            self._say(f"These processes could not be ended: {', '.join(map(str, left))}.")
        status.remove(self._places.run_dir)
        if self._watchdog and self._watchdog.stdin:
            self._watchdog.stdin.close()
            self._watchdog.wait()

    def _handle(self, name: str) -> Handle:
        mark = Mark(self._mark.run_dir, self._mark.run, name)
        return Handle(mark, self._places.logs_dir / f"{name}.log", self._places.cwd)

    def _write_status(self) -> None:
        """Write how everything is, if that has changed."""
        children = {child.spec.name: child.status for child in self._children}
        children |= {keeper.name: keeper.status for keeper in self._keepers}
        model = next((keeper.report for keeper in self._keepers), None)
        now_is = status.own_status(self._address, children, model)
        if now_is == self._written:
            return
        self._written = now_is
        try:
            status.write(self._places.run_dir, now_is)
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
