"""What fetching a model reports while it lasts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True)
class Fetching:
    """`done` of `total` bytes are on disk or on their way; bytes/s and seconds left are None until they are known."""

    done: int
    total: int
    speed: float | None = None
    eta_s: float | None = None


@dataclass(frozen=True)
class Waiting:
    """Nothing moves, for a known reason; `until` (aware) is when it goes on, None when that is not ours to say."""

    reason: str
    until: datetime | None = None


@dataclass(frozen=True)
class Checking:
    """The checksum of bytes that are already on disk is being computed."""

    done: int
    total: int


@dataclass(frozen=True)
class Note:
    """Something a person may want to know: a source failed and another one takes over."""

    text: str


Event = Fetching | Waiting | Checking | Note
Report = Callable[[Event], None]
