"""How long reading will still take, from how long it took so far; no clock and no database."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

FIXED = 150_000
"""Bytes whose reading takes as long as beginning to read any file: a process starts, the index is written."""


@dataclass(frozen=True)
class Measured:
    """A file that was read: bytes, and the seconds that it took."""

    size: int
    seconds: float


@dataclass(frozen=True)
class Underway:
    """A file that is being read for `seconds`; `done` of `total` units, a total of 0 is not known.

    Of these units `before` were done already when the seconds began.
    """

    size: int
    seconds: float
    done: int = 0
    total: int = 0
    before: int = 0


def seconds_left(measured: Iterable[Measured], underway: Iterable[Underway], waiting: Iterable[int]) -> float | None:
    """Return the seconds until all is read, one file after the other; None while nothing tells how fast that goes.

    `waiting` are the sizes of the files in line. What is under way tells of itself as soon as a unit of it is done;
    until then, and for what waits, the speed is that of the files measured and of those under way.
    """
    running, sizes = list(underway), list(waiting)
    speed = _seconds_per_weight([*measured, *(_projected(file) for file in running if _tells(file))])
    if speed is None:
        return 0.0 if not running and not sizes else None
    return sum(_rest(file, speed) for file in running) + sum(speed * _weight(size) for size in sizes)


def rest_of(file: Underway) -> float | None:
    """Return the seconds that one file will still take, None while that cannot be told from itself."""
    return file.seconds * max(file.total - file.done, 0) / (file.done - file.before) if _tells(file) else None


def _rest(file: Underway, speed: float) -> float:
    own = rest_of(file)
    return max(speed * _weight(file.size) - file.seconds, 0.0) if own is None else own


def _tells(file: Underway) -> bool:
    return file.done > file.before and file.total > 0


def _projected(file: Underway) -> Measured:
    return Measured(file.size, file.seconds + (rest_of(file) or 0.0))


def _seconds_per_weight(files: list[Measured]) -> float | None:
    """Return the speed over all files together: many small ones and a large one count for what they weigh."""
    seconds = sum(file.seconds for file in files)
    return seconds / sum(_weight(file.size) for file in files) if files and seconds > 0 else None


def _weight(size: int) -> int:
    return size + FIXED
