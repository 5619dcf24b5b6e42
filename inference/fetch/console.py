"""Showing the progress of a fetch on a terminal as a bar that moves, elsewhere as a line now and then."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import Protocol

from inference.clock import local_zone
from inference.fetch.events import Checking, Event, Fetching, Note, Waiting
from inference.fetch.sizes import human_bytes, human_seconds

LINE_EVERY_S = 10.0
"""Time between two plain lines where nothing can be overwritten."""
BAR_WIDTH = 28


class Stream(Protocol):
    """What is needed of an open text file."""

    def write(self, text: str, /) -> object: ...
    def flush(self) -> None: ...
    def isatty(self) -> bool: ...


class ConsoleReport:
    """A `Report` that writes to `stream`; call `close` when the fetch has ended, well or badly."""

    def __init__(self, stream: Stream, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._name = name
        self._clock = clock
        self._live = stream.isatty()
        self._line_open = False
        self._next_line_at = clock()

    def __call__(self, event: Event) -> None:
        """Show one event."""
        moving = isinstance(event, Fetching | Checking)
        text = f"{self._name}: {describe(event, bar=self._live)}"
        if self._live and not isinstance(event, Note):
            self._overwrite(text)
        elif not moving or self._clock() >= self._next_line_at or _is_last(event):
            self._next_line_at = self._clock() + LINE_EVERY_S
            self.close()
            self._stream.write(text + "\n")
        self._stream.flush()

    def close(self) -> None:
        """End the line that the bar stands on."""
        if self._line_open:
            self._stream.write("\n")
            self._line_open = False

    def _overwrite(self, text: str) -> None:
        columns = shutil.get_terminal_size().columns - 1
        self._stream.write("\r\x1b[K" + text[:columns])
        self._line_open = True


def describe(event: Event, *, bar: bool = False) -> str:
    """Return an event in words, with a bar in front of the figures where there is a terminal to draw it on."""
    match event:
        case Fetching(done, total, speed, eta_s):
            figures = f"{human_bytes(done)} of {human_bytes(total)}"
            figures += f", {human_bytes(speed)}/s" if speed else ""
            figures += f", {human_seconds(eta_s)} left" if eta_s else ""
            return f"{_bar(done, total)} {figures}" if bar else figures
        case Checking(done, total):
            return f"checking what is there, {done * 100 // total} %"
        case Waiting(reason, None):
            return reason
        case Waiting(reason, until) if until is not None:
            return f"{reason}, goes on at {until.astimezone(local_zone()):%H:%M:%S}"
        case Note(text):
            return text
    raise AssertionError(event)


def _bar(done: int, total: int) -> str:
    filled = BAR_WIDTH * done // total
    return f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done * 100 // total:3d} %"


def _is_last(event: Event) -> bool:
    return isinstance(event, Fetching) and event.done == event.total
