"""How the model's process is, as the supervisor writes it down for all others, and in sentences for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from inference.switching.machine import Failure, Purpose, Situation, Step

COMING = (Step.STOPPED, Step.STARTING, Step.LOADING, Step.STOPPING)
KILLED = "killed by SIGKILL"


@dataclass(frozen=True)
class ModelReport:
    """A `Situation` for readers: `model` is the one that is ended, started or in use, `goal` the one that follows.

    `percent` is loaded of it, `previous` comes back if it does not start; `tries` counts the starts in a row that ended
    by themselves.
    """

    step: Step = Step.STOPPED
    purpose: Purpose = Purpose.START
    model: str = ""
    goal: str = ""
    previous: str = ""
    percent: int = 0
    failures: tuple[Failure, ...] = ()
    tries: int = 0

    @property
    def is_coming(self) -> bool:
        """Whether a model can be asked soon without anybody's doing."""
        sleeps = self.step is Step.STOPPING and self.purpose is Purpose.SLEEP
        return (self.step in COMING and not sleeps) or (self.step is Step.WAITING and self.tries <= 1)

    @property
    def sleeps(self) -> bool:
        """Whether it takes a question to bring the model back."""
        return self.step is Step.ASLEEP or (self.step is Step.STOPPING and self.purpose is Purpose.SLEEP)

    @property
    def is_plain(self) -> bool:
        """Whether there is nothing to be said but that the model is there, or started as always."""
        return self.purpose is Purpose.START and not self.failures and self.step in (Step.IN_USE, *COMING[:3])

    @property
    def is_moving(self) -> bool:
        """Whether another sentence will be true soon."""
        return self.is_coming or self.step in (Step.STOPPING, Step.WAITING)

    @property
    def is_changing(self) -> bool:
        """Whether one model is taking another one's place."""
        return self.is_coming and self.purpose in (Purpose.SWITCH, Purpose.ROLL_BACK)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `asdict` made. Raises KeyError, TypeError or ValueError."""
        return cls(
            step=Step(data["step"]),
            purpose=Purpose(data["purpose"]),
            model=str(data["model"]),
            goal=str(data["goal"]),
            previous=str(data["previous"]),
            percent=int(data["percent"]),
            failures=tuple(Failure(str(row["model"]), str(row["cause"])) for row in data["failures"]),
            tries=int(data["tries"]),
        )


def report_of(situation: Situation) -> ModelReport:
    """Return a situation for readers."""
    return ModelReport(
        step=situation.step,
        purpose=situation.purpose,
        model=situation.model.id,
        goal=situation.goal.id if situation.goal else "",
        previous=situation.proven.id if situation.proven else "",
        percent=round(100 * situation.progress),
        failures=situation.failures,
        tries=situation.streak,
    )


def told(report: ModelReport) -> str:
    """Return it in sentences: what did not start and why, then what happens now."""
    return " ".join([*_failed(report), _now(report)]).strip()


def cause_of_exit(words: str) -> str:
    """Return how a process ended as the cause of a failure."""
    if words == KILLED:
        return "its process was killed, as the system does when memory runs out"
    return f"its process ended ({words}); its log has the details"


def _failed(report: ModelReport) -> list[str]:
    if report.purpose is Purpose.START and report.step not in (Step.FAILED, Step.IN_USE):
        return []  # it was in use and has ended: that is said while it waits, and is past when it starts
    verbs = ("did not start", "did not start again either")
    return [
        f"{failure.model} {verb}: {_sentence(failure.cause)}"
        for failure, verb in zip(report.failures, verbs, strict=False)
    ]


def _now(report: ModelReport) -> str:
    cause = _sentence(report.failures[-1].cause) if report.failures else ""
    return _WORDS[_phase(report)].format(model=report.model, percent=report.percent, cause=cause)


def _phase(report: ModelReport) -> str:
    """Return which sentence says what happens."""
    match report.step:
        case Step.STOPPING if report.purpose is Purpose.SLEEP:
            return "falling asleep"
        case Step.STOPPING if report.goal == report.model:
            return "anew"
        case Step.IN_USE if report.purpose is Purpose.ROLL_BACK:
            return "again"
        case Step.WAITING if report.purpose is Purpose.START and report.failures:
            return "crashed"
    return str(report.step)


_WORDS = {
    "stopped": "Starting {model}.",
    "starting": "Starting {model}.",
    "loading": "Loading {model}: {percent} %.",
    "in use": "{model} is in use.",
    "again": "{model} is in use again.",
    "stopping": "Ending {model}.",
    "anew": "Ending {model} to start it anew.",
    "falling asleep": "{model} goes to sleep.",
    "asleep": "{model} is asleep; it wakes with the next question.",
    "crashed": "{model} stopped: {cause} It is being started again.",
    "waiting": "{model} is tried again in a moment.",
    "failed": "Choose another model, or this one to try it again.",
}


def _sentence(cause: str) -> str:
    return f"{cause.rstrip('.')}."
