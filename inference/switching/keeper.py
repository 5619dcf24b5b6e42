"""Runs the model's process by the decisions of `machine`: looks at it, and does what was decided."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from inference.contracts import EngineState, Health
from inference.errors import InferenceError
from inference.supervise.handle import Handle
from inference.supervise.policy import ChildState
from inference.supervise.status import ChildStatus
from inference.switching.bells import CHOICE, WAKE, Bells
from inference.switching.look import Idleness, Service, cpu_seconds
from inference.switching.machine import Action, Failure, Purpose, Seen, Situation, Step, Target, advance
from inference.switching.report import ModelReport, cause_of_exit, report_of, told

logger = logging.getLogger(__name__)

LOOK_S = 0.25
"""How often a process that is about to be something else is looked at."""
LISTEN_S = 0.5
"""How often the bells are listened for; a look at two files."""
IDLE_LOOK_S = 5.0
"""How often it is found out whether anybody asks, where the model may fall asleep."""
TROUBLE_S = 5.0
"""Until a choice is looked up again that could not be."""

MOVING = (Step.STOPPED, Step.STARTING, Step.LOADING, Step.STOPPING)
SAID = (Step.STARTING, Step.IN_USE, Step.STOPPING, Step.WAITING, Step.FAILED, Step.ASLEEP)


@dataclass(frozen=True)
class ModelSpec:
    """What the keeper is told of models by those who know.

    `chosen` looks up the choice and raises InferenceError for one that cannot be followed; `command` is asked for
    before every start, and may prepare it; `put_back` stores the second model as the choice in the place of the first,
    if that still is the choice. `sleep_after_s` 0: the model never falls asleep by itself; it does as soon as it is not
    `wanted`, since a server answers in its place.
    """

    chosen: Callable[[], Target]
    command: Callable[[Target], Sequence[str]]
    put_back: Callable[[Target, Target], None]
    sleep_after_s: float = 0.0
    wanted: Callable[[], bool] = lambda: True


class ModelKeeper:
    """Keeps the chosen model running, one process at a time.

    `look` notices and decides; `act` does what was decided, after the decision can be read by everybody: who finds the
    process gone then knows why.
    """

    name = "inference"

    def __init__(self, spec: ModelSpec, run_dir: Path, handle: Handle, say: Callable[[str], None]) -> None:
        """Begin with the model that is chosen now. Raises InferenceError."""
        self.handle = handle
        self._spec = spec
        self._say = say
        self._bells = Bells(run_dir)  # before the choice is looked up: a later one rings again
        self._service = Service(run_dir)
        self._idle = Idleness()
        self._now_is = Situation(spec.chosen())
        self._action = Action.NOTHING
        self._error = ""
        self._said = ""
        self._restarts = 0
        self._idle_s, self._idle_due, self._choice_due = 0.0, 0.0, 0.0

    @property
    def report(self) -> ModelReport:
        """How the model is, for all who want to know."""
        return report_of(self._now_is)

    @property
    def status(self) -> ChildStatus:
        """How its process is, as of any other child."""
        waits = self._now_is.step is Step.WAITING
        state = ChildState.WAITING if waits else ChildState.RUNNING if self.handle.pid else ChildState.STOPPED
        return ChildStatus(state, self.handle.pid, self._restarts, self.handle.last_exit)

    @property
    def rest_s(self) -> float:
        """How long nobody needs to look."""
        if self._now_is.step in MOVING:
            return LOOK_S
        if self._now_is.step is Step.WAITING:
            return min(LISTEN_S, max(0.0, self._now_is.due - time.monotonic()))
        return LISTEN_S

    def look(self) -> None:
        """See how things are, and decide."""
        before, seen = self._now_is, self._see(time.monotonic())
        self._now_is, self._action = advance(before, seen)
        if before.step is not Step.IN_USE and self._now_is.step is Step.IN_USE:
            self._idle.begin(seen.now)
            self._idle_s, self._idle_due = 0.0, seen.now
        if before.purpose is not Purpose.ROLL_BACK and self._now_is.purpose is Purpose.ROLL_BACK:
            self._put_back(before.model, self._now_is.wanted)
        self._restarts += before.step is Step.WAITING and self._action is Action.START
        self._tell()

    def act(self) -> None:
        """Do what was decided."""
        action, self._action = self._action, Action.NOTHING
        match action:
            case Action.START:
                self._start(self._now_is.model)
            case Action.END:
                self.handle.end()
            case Action.KILL:
                logger.warning("the process of %s is killed", self._now_is.model.id)
                self.handle.kill()

    def _start(self, model: Target) -> None:
        self._error = ""
        try:
            self.handle.start(self._spec.command(model), {})
        except Exception as error:  # the boundary of one child: whatever keeps it down must not take the others along
            logger.exception("%s could not be started", model.id)
            self._error = str(error)

    def _see(self, now: float) -> Seen:
        alive = self.handle.is_alive()
        health = self._health() if alive and self._now_is.step in (Step.STARTING, Step.LOADING) else None
        return Seen(
            now=now,
            alive=alive,
            exit=self._error or (cause_of_exit(self.handle.last_exit) if self.handle.last_exit else ""),
            state=health.state if health else None,
            progress=health.progress if health and health.state is EngineState.LOADING else 0.0,
            message=health.message if health else "",
            cpu_s=cpu_seconds(self.handle.pid) if alive and self._now_is.step in MOVING else 0.0,
            chosen=self._choice(now),
            woken=self._bells.take(WAKE),
            idle=alive and self._is_idle(now),
        )

    def _health(self) -> Health | None:
        return self._service.health(self.handle.pid)

    def _choice(self, now: float) -> Target | Failure | None:
        """Look the choice up when the bell has rung; a database that is away is asked again later."""
        if now < self._choice_due or not self._bells.take(CHOICE):
            return None
        try:
            return self._spec.chosen()
        except InferenceError as error:
            return Failure("The chosen model", error.message)
        except Exception:  # the edge to the database: the model goes on
            logger.exception("the choice of the model could not be looked up")
            self._bells.forget(CHOICE)
            self._choice_due = now + TROUBLE_S
            return None

    def _put_back(self, failed: Target, previous: Target) -> None:
        try:
            self._spec.put_back(failed, previous)
        except Exception:  # the edge to the database: the next start tries the failed one first
            logger.exception("the choice of the model could not be put back")

    def _is_idle(self, now: float) -> bool:
        if self._now_is.step is not Step.IN_USE:
            return False
        if not self._spec.wanted():
            return True
        if not self._spec.sleep_after_s:
            return False
        if now >= self._idle_due:
            self._idle_due = now + min(IDLE_LOOK_S, self._spec.sleep_after_s / 4)
            self._idle_s = self._idle.seconds(self._service.metrics(self.handle.pid), now)
        return self._idle_s >= self._spec.sleep_after_s

    def _tell(self) -> None:
        """Say on the terminal what changes, once; the first start is no news."""
        report = self.report
        words = told(report)
        plain = report.purpose is Purpose.START and not report.failures and report.step is not Step.ASLEEP
        if report.step in SAID and words != self._said and (self._said or not plain):
            self._said = words
            self._say(words)
