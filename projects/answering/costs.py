"""What an answer will take in seconds, by what this machine has done so far and by what the model remembers.

An answer is fetched (the state of what was read before), read (the rest of its prompt), and written. How fast, earlier
answers tell; before there are any, the model service's own measure does; and before that nothing is foretold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from inference.contracts import ChatMessage
from projects.answering.router import Lane

CHARACTERS_PER_TOKEN = 3.6
"""Of prose with numbers in it. A wrong one makes the reading of passages a little longer or shorter than foretold."""
QUESTION_TOKENS = 110
"""A question with what goes around it: rules of the answer, and up to fifteen tokens that are read twice."""
PASSAGES_TOKENS = 1_500
"""A prompt of passages, as long as nobody has asked one."""
LINES_TOKENS = 30
"""What one document is given to say when each of them is asked."""
GOES_ON = 0.3
"""How often a source does not state the answer, so that the next one is asked."""
ENOUGH_READ = 32
"""Tokens; fewer are read in one go with the first of the answer, and tell no speed."""


@dataclass(frozen=True)
class Past:
    """What a finished answer took: tokens read now and written; seconds for fetching, reading, writing, and in all."""

    lane: str
    read: int
    written: int
    restore_s: float
    read_s: float
    write_s: float
    total_s: float
    asked_model: bool = True


@dataclass(frozen=True)
class Speeds:
    """Tokens per second; 0 where nothing has been measured."""

    read: float = 0.0
    write: float = 0.0

    @property
    def known(self) -> bool:
        return self.read > 0 and self.write > 0


@dataclass(frozen=True)
class Habits:
    """What answers of one lane are usually like: tokens read and written, and seconds beside reading and writing."""

    read: float
    written: float
    restore_s: float = 0.1
    rest_s: float = 0.3


_FIRST = {
    Lane.DIGEST: Habits(QUESTION_TOKENS, 90),
    Lane.PASSAGES: Habits(PASSAGES_TOKENS, 60),
    Lane.DEEP: Habits(QUESTION_TOKENS, 60),
}
"""What is assumed of a lane before anything was answered on it."""


@dataclass(frozen=True)
class Request:
    """One request of an answer: tokens to be read, and whether what stands before them is fetched."""

    read: float
    fetched: bool = False


def speeds_of(pasts: Sequence[Past], measured: Speeds = Speeds()) -> Speeds:
    """Return how fast this machine reads and writes: by the answers so far, else as the service has measured."""
    readers = [past for past in pasts if past.read >= ENOUGH_READ and past.read_s > 0]
    writers = [past for past in pasts if past.written > 1 and past.write_s > 0]
    read = median(past.read / past.read_s for past in readers) if readers else measured.read
    write = median((past.written - 1) / past.write_s for past in writers) if writers else measured.write
    return Speeds(read, write)


def habits_of(pasts: Sequence[Past], lane: Lane) -> Habits:
    """Return what answers of a lane are usually like; `pasts` may be of any lanes."""
    alike = [past for past in pasts if past.lane == lane and past.asked_model]
    first = _FIRST[lane]
    if not alike:
        return first
    fetched = [past.restore_s for past in alike if past.restore_s > 0]
    return Habits(
        median(past.read for past in alike),
        median(past.written for past in alike),
        median(fetched) if fetched else first.restore_s,
        median(max(0.0, past.total_s - past.restore_s - past.read_s - past.write_s) for past in alike),
    )


def seconds_for(requests: Sequence[Request], habits: Habits, speeds: Speeds, *, each: bool = False) -> float | None:
    """Return the seconds that an answer takes in all, None while speeds are not known.

    `each`: all of the requests are made, a line being written for each. Otherwise one is made after the other until one
    finds the answer.
    """
    if not requests:
        return habits.rest_s
    if not speeds.known:
        return None
    written = LINES_TOKENS if each else habits.written
    share, total = 1.0, habits.rest_s
    for request in requests:
        fetching = habits.restore_s if request.fetched else 0.0
        total += share * (fetching + request.read / speeds.read + written / speeds.write)
        share *= 1.0 if each else GOES_ON
    return total


def request_of(messages: Sequence[ChatMessage], remembered: Iterable[str], *, seen: int = 0) -> Request:
    """Return what a prompt costs when the states at the boundaries `remembered` are kept.

    `seen`: tokens at its beginning that a slot holds from an earlier answer anyway.
    """
    kept = frozenset(remembered)
    after, fetched = 0, False
    for part in (part for message in messages for part in message.parts):
        after += len(part.text)
        if part.boundary and part.boundary in kept:
            after, fetched = 0, True
    tokens = after / CHARACTERS_PER_TOKEN - (0 if fetched else seen)
    return Request(max(tokens, 1.0), fetched)
