"""What becomes of the model's process: a pure state machine over what is seen of it, without a clock or a process.

STOPPED → STARTING → LOADING → IN_USE is the way of a start. Another choice leads from any step to STOPPING, and from
there, once nothing of the old process is left, to STARTING. A chosen model that does not get IN_USE gives way to the
one that was in use before, in the same manner (`Purpose.ROLL_BACK`). What ends by itself is WAITING to be started
again; FAILED is a process that runs and says why it has no model. IN_USE → STOPPING → ASLEEP, and from there to
STARTING when somebody asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from inference.contracts import EngineState
from inference.supervise.policy import after_exit

STOP_DEADLINE_S = 25.0
"""A process that was asked to end is killed after this: answers under way have 15 s (`inference.service.retiring`)."""
STALL_S = 120.0
"""A start that neither gets on with loading nor computes for so long hangs."""
LONGEST_START_S = 3600.0
"""Nobody waits longer for a model, however busy it is."""


class Step(StrEnum):
    """Where the process is; see the module."""

    STOPPED = "stopped"
    STARTING = "starting"
    LOADING = "loading"
    IN_USE = "in use"
    STOPPING = "stopping"
    WAITING = "waiting"
    FAILED = "failed"
    ASLEEP = "asleep"


class Purpose(StrEnum):
    """What the steps serve: a start or restart, a change of the model, bringing the previous one back, or sleep."""

    START = "start"
    SWITCH = "switch"
    ROLL_BACK = "roll back"
    SLEEP = "sleep"


@dataclass(frozen=True)
class Target:
    """A model to run: its name, its file, and how it is run, as further words of the service's command line."""

    id: str
    path: str
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Failure:
    """Why a model was not brought into use, as a sentence."""

    model: str
    cause: str


@dataclass(frozen=True)
class Seen:
    """What there is to be seen at one moment.

    `alive`: the process runs, or something that it has left. `exit` is how it ended, or why it could not be started.
    `state`, `progress` (0…1) and `message` are what it says of itself, None while it does not answer; `cpu_s` what it
    has computed so far. `chosen` is a choice that was made since the last look, or why it cannot be followed. `woken`:
    somebody wants an answer. `idle`: nobody has asked anything for so long that the model may fall asleep.
    """

    now: float
    alive: bool
    exit: str = ""
    state: EngineState | None = None
    progress: float = 0.0
    message: str = ""
    cpu_s: float = 0.0
    chosen: Target | Failure | None = None
    woken: bool = False
    idle: bool = False


class Action(StrEnum):
    """What is to be done to the process now. START is for `Situation.model`, and only ever when nothing is alive."""

    NOTHING = "nothing"
    START = "start"
    END = "end"
    KILL = "kill"


@dataclass(frozen=True)
class Situation:
    """All that is remembered from one look to the next.

    `model` is what the process has, or gets next; while it is STOPPING, `goal` comes afterwards, None for sleep.
    `proven` is the last model that was in use, `failures` what did not start: the chosen one, then the previous one.
    `since` is when the step began, `started` when the process did; `moved` when it last got on.
    """

    model: Target
    step: Step = Step.STOPPED
    purpose: Purpose = Purpose.START
    goal: Target | None = None
    proven: Target | None = None
    failures: tuple[Failure, ...] = ()
    since: float = 0.0
    started: float = 0.0
    moved: float = 0.0
    progress: float = 0.0
    cpu_s: float = 0.0
    streak: int = 0
    due: float = 0.0

    @property
    def wanted(self) -> Target:
        """The model that is or will be in use when all goes well."""
        return self.goal if self.step is Step.STOPPING and self.goal is not None else self.model


Next = tuple[Situation, Action]
COMPUTES_S = 0.2
"""So much more computed counts as getting on: reading a file and checking it say nothing else."""


def advance(now_is: Situation, seen: Seen) -> Next:
    """Return what comes next, and what is to be done for it."""
    return _choice(now_is, seen) or _AT[now_is.step](now_is, seen)


def _choice(now_is: Situation, seen: Seen) -> Next | None:
    """Follow a choice that changes something; the latest one counts, whatever is under way."""
    chosen = seen.chosen
    if isinstance(chosen, Failure):
        return replace(now_is, failures=(chosen,)), Action.NOTHING
    sleeps = now_is.step is Step.STOPPING and now_is.goal is None
    at_rest = now_is.step in (Step.FAILED, Step.WAITING, Step.ASLEEP) or sleeps
    if chosen is None:
        return None
    if chosen == now_is.wanted and not at_rest:
        # Who chooses what is in use has read why another one is not.
        past = now_is.step is Step.IN_USE and now_is.failures
        return (replace(now_is, failures=()), Action.NOTHING) if past else None
    purpose = Purpose.START if chosen == now_is.proven and chosen == now_is.model else Purpose.SWITCH
    return _stop(replace(now_is, failures=(), streak=0), chosen, purpose, seen)


def _stop(now_is: Situation, goal: Target | None, purpose: Purpose, seen: Seen) -> Next:
    """Ask the process to end; what was asked before is not asked again, and has its deadline still."""
    if now_is.step is Step.STOPPING:
        return replace(now_is, goal=goal, purpose=purpose), Action.NOTHING
    stopping = replace(now_is, step=Step.STOPPING, goal=goal, purpose=purpose, since=seen.now)
    return stopping, Action.END if seen.alive else Action.NOTHING


def _stopping(now_is: Situation, seen: Seen) -> Next:
    if seen.woken and now_is.goal is None:
        now_is = replace(now_is, goal=now_is.model, purpose=Purpose.START)
    if seen.alive:
        late = seen.now - now_is.since >= STOP_DEADLINE_S
        return now_is, Action.KILL if late else Action.NOTHING
    if now_is.goal is None:
        return replace(now_is, step=Step.ASLEEP, since=seen.now), Action.NOTHING
    return _start(now_is, now_is.goal, seen)


def _start(now_is: Situation, model: Target, seen: Seen) -> Next:
    fresh = replace(now_is, model=model, goal=None, step=Step.STARTING, progress=0.0, cpu_s=0.0)
    return replace(fresh, since=seen.now, started=seen.now, moved=seen.now), Action.START


def _starting(now_is: Situation, seen: Seen) -> Next:
    if not seen.alive:
        return _failed(now_is, seen, seen.exit or "its process has ended")
    match seen.state:
        case EngineState.READY:
            return _ready(now_is, seen), Action.NOTHING
        case EngineState.FAILED:
            return _failed(now_is, seen, seen.message, says_so=True)
        case EngineState.LOADING if now_is.step is Step.STARTING:
            now_is = replace(now_is, step=Step.LOADING, since=seen.now, moved=seen.now)
    if seen.progress > now_is.progress or seen.cpu_s - now_is.cpu_s >= COMPUTES_S:
        now_is = replace(now_is, moved=seen.now, progress=max(seen.progress, now_is.progress), cpu_s=seen.cpu_s)
    if seen.now - now_is.moved >= STALL_S:
        return _failed(now_is, seen, f"nothing has moved for {STALL_S:g} seconds while it was being loaded")
    if seen.now - now_is.started >= LONGEST_START_S:
        return _failed(now_is, seen, f"it was not ready after {LONGEST_START_S / 60:g} minutes")
    return now_is, Action.NOTHING


def _ready(now_is: Situation, seen: Seen) -> Situation:
    """Take the model into use; what did not start before it stays known, its own failures are past."""
    kept = now_is.failures[:1] if now_is.purpose is Purpose.ROLL_BACK else ()
    return replace(now_is, step=Step.IN_USE, proven=now_is.model, failures=kept, since=seen.now, progress=1.0)


def _failed(now_is: Situation, seen: Seen, cause: str, *, says_so: bool = False) -> Next:
    """Bring the previous model back, once; without one try again, or leave a process alone that says what is wrong."""
    failure = Failure(now_is.model.id, cause)
    proven = now_is.proven
    if now_is.purpose is Purpose.SWITCH and proven is not None and proven != now_is.model:
        return _stop(replace(now_is, failures=(failure,), streak=0), proven, Purpose.ROLL_BACK, seen)
    first = now_is.failures[:1] if now_is.purpose is Purpose.ROLL_BACK else ()
    now_is = replace(now_is, failures=(*first, failure))
    if says_so:
        return replace(now_is, step=Step.FAILED, since=seen.now), Action.NOTHING
    return _wait(now_is, seen)


def _in_use(now_is: Situation, seen: Seen) -> Next:
    if not seen.alive:
        ended = (Failure(now_is.model.id, seen.exit),)
        return _wait(replace(now_is, purpose=Purpose.START, failures=ended), seen)
    if seen.idle:
        return _stop(replace(now_is, failures=()), None, Purpose.SLEEP, seen)
    return now_is, Action.NOTHING


def _wait(now_is: Situation, seen: Seen) -> Next:
    """Let a process that ended, or hangs, be started again after the usual time."""
    again = after_exit(now_is.streak, seen.now - now_is.started)
    waiting = replace(now_is, step=Step.WAITING, since=seen.now, due=seen.now + again.delay_s, streak=again.streak)
    return waiting, Action.KILL if seen.alive else Action.NOTHING


def _stopped(now_is: Situation, seen: Seen) -> Next:
    return _start(now_is, now_is.model, seen)


def _waiting(now_is: Situation, seen: Seen) -> Next:
    if seen.alive:
        return now_is, Action.KILL
    return _start(now_is, now_is.model, seen) if seen.now >= now_is.due else (now_is, Action.NOTHING)


def _given_up(now_is: Situation, seen: Seen) -> Next:
    return (now_is, Action.NOTHING) if seen.alive else _wait(now_is, seen)


def _asleep(now_is: Situation, seen: Seen) -> Next:
    awake = replace(now_is, purpose=Purpose.START)
    return _start(awake, now_is.model, seen) if seen.woken else (now_is, Action.NOTHING)


_AT: Mapping[Step, Callable[[Situation, Seen], Next]] = {
    Step.STOPPED: _stopped,
    Step.STARTING: _starting,
    Step.LOADING: _starting,
    Step.IN_USE: _in_use,
    Step.STOPPING: _stopping,
    Step.WAITING: _waiting,
    Step.FAILED: _given_up,
    Step.ASLEEP: _asleep,
}
