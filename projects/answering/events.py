"""What happens while a question is answered, as the followers of an answer see it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

StageName = Literal["searching", "waiting", "reading", "answering"]


@dataclass(frozen=True)
class Stage:
    """The answer has reached a stage: looking for passages, in line, prompt being read, tokens flowing."""

    name: StageName


@dataclass(frozen=True)
class Reading:
    """Progress of reading the prompt: `read` of `total` tokens; `seconds_left` by the speed measured so far."""

    read: int
    total: int
    seconds_left: float | None


@dataclass(frozen=True)
class Looking:
    """Progress of asking several documents: the one called `name` is being asked, `done` of `total` have been."""

    done: int
    total: int
    name: str


@dataclass(frozen=True)
class Text:
    """The next piece of the answer, as the model wrote it."""

    text: str


@dataclass(frozen=True)
class Ended:
    """The last event: the final `Turn.State` value, a failure's code and sentence, and whether a retry makes sense."""

    state: str
    error_code: str = ""
    error: str = ""
    retry: bool = False


AnswerEvent = Stage | Reading | Looking | Text | Ended
