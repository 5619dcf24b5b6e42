"""What to do next when an attempt to fetch a file has ended: a state machine without clock, disk or network."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Any, Self

MAX_FAILURES = 4
"""Attempts in a row at one source that bring not a single byte; then another source is asked."""
MAX_RESTARTS = 5
"""Times that bytes are thrown away in one fetch; a source that makes it one more is not asked again."""
FIRST_ROUND_PAUSE_S = 30.0
LONGEST_ROUND_PAUSE_S = 900.0


class Ending(StrEnum):
    """How an attempt ended.

    WHOLE: all bytes are there and right. INTERRUPTED: another attempt may get further. TIRED: interrupted, and the
    source has tried again often enough by itself. LATER: the server asks to come back. CHANGED: the source has another
    file by now. WRONG: all bytes came and their checksum is another one. REFUSED: the source does not have the file
    for us.
    """

    WHOLE = "whole"
    INTERRUPTED = "interrupted"
    TIRED = "tired"
    LATER = "later"
    CHANGED = "changed"
    WRONG = "wrong"
    REFUSED = "refused"


@dataclass(frozen=True)
class Outcome:
    """How an attempt ended and why, as part of a sentence.

    `got` counts the bytes that came in it; `lost` tells that bytes of earlier attempts had to be thrown away; `wait_s`
    is what the server asked for.
    """

    ending: Ending
    cause: str = ""
    got: int = 0
    lost: bool = False
    wait_s: float | None = None


@dataclass(frozen=True)
class Patience:
    """How long to try: rounds over the sources that may come back, and the longest wait that a server may ask for."""

    rounds: int
    longest_wait_s: float


AT_THE_TERMINAL = Patience(rounds=1, longest_wait_s=3600.0)
"""Somebody looks at it and can decide."""
IN_THE_BACKGROUND = Patience(rounds=16, longest_wait_s=24 * 3600.0)
"""Three hours without a byte, so that it outlives a journey without a network."""


@dataclass(frozen=True)
class Position:
    """Where a fetch stands: `queue` are the sources still to be asked in this round (by index, the first is the one at
    hand), `later` those that may work in the next one; `causes` say why each gave up.
    """

    queue: tuple[int, ...]
    later: tuple[int, ...] = ()
    failures: int = 0
    restarts: int = 0
    round: int = 0
    causes: tuple[tuple[int, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote. Raises KeyError, TypeError or ValueError on anything else."""
        return cls(
            tuple(map(int, data["queue"])),
            tuple(map(int, data["later"])),
            int(data["failures"]),
            int(data["restarts"]),
            int(data["round"]),
            tuple((int(source), str(cause)) for source, cause in data["causes"]),
        )


def start(sources: int) -> Position:
    """Return the position of a fetch from so many sources, at least one, before the first attempt."""
    return Position(tuple(range(sources)))


@dataclass(frozen=True)
class Ask:
    """Wait `wait_s` seconds for the given reason, then try the first source in the queue of `position`."""

    position: Position
    wait_s: float = 0.0
    reason: str = ""
    limited: bool = False


@dataclass(frozen=True)
class Done:
    """The file is there and right."""


@dataclass(frozen=True)
class GiveUp:
    """No source will bring the file; `causes` say why, by the index of the source."""

    causes: tuple[tuple[int, str], ...]


Step = Ask | Done | GiveUp


def after(position: Position, outcome: Outcome, patience: Patience) -> Step:
    """Return what to do after an attempt at the source at hand.

    It comes to an end whatever the sources do: bytes that are kept are bounded by the file, bytes that are thrown away
    by `MAX_RESTARTS`, and everything else by the rounds.
    """
    if outcome.ending is Ending.WHOLE:
        return Done()
    position = replace(
        position,
        restarts=position.restarts + outcome.lost,
        round=0 if outcome.got else position.round,
    )
    may_restart = position.restarts <= MAX_RESTARTS
    match outcome.ending:
        case Ending.INTERRUPTED | Ending.LATER if may_restart:
            return _again(position, outcome, patience)
        case Ending.TIRED if may_restart:
            return _leave(position, outcome, patience, for_good=False)
        case Ending.CHANGED | Ending.WRONG if may_restart and outcome.lost:
            # What was thrown away came from elsewhere or earlier: the source itself may well be right.
            return Ask(replace(position, failures=0), reason=outcome.cause)
    return _leave(position, outcome, patience, for_good=True)


def _again(position: Position, outcome: Outcome, patience: Patience) -> Step:
    failures = 1 if outcome.got else position.failures + 1
    wait_s = 2.0 ** (failures - 1) if outcome.wait_s is None else outcome.wait_s
    if wait_s > patience.longest_wait_s:
        return _leave(position, outcome, patience, for_good=True)
    if failures >= MAX_FAILURES:
        return _leave(position, outcome, patience, for_good=False)
    return Ask(replace(position, failures=failures), wait_s, outcome.cause, outcome.ending is Ending.LATER)


def _leave(position: Position, outcome: Outcome, patience: Patience, *, for_good: bool) -> Step:
    """Go on with the next source, with the next round after a pause, or not at all."""
    current, *rest = position.queue
    causes = (*(known for known in position.causes if known[0] != current), (current, outcome.cause))
    later = position.later if for_good else (*position.later, current)
    if rest:
        return Ask(replace(position, queue=tuple(rest), later=later, failures=0, causes=causes))
    if not later or position.round + 1 >= patience.rounds:
        return GiveUp(causes)
    fresh = replace(position, queue=later, later=(), failures=0, round=position.round + 1, causes=causes)
    wait_s = 0.0 if for_good else min(outcome.wait_s or 0.0, patience.longest_wait_s)
    pause_s = min(FIRST_ROUND_PAUSE_S * 2.0**position.round, LONGEST_ROUND_PAUSE_S)
    reason = outcome.cause if not for_good else dict(causes)[later[0]]
    return Ask(fresh, max(wait_s, pause_s), reason, outcome.ending is Ending.LATER)
