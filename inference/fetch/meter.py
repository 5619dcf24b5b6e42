"""Turning a stream of byte counts into few, readable progress events."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

from inference.fetch.events import Fetching, Report

INTERVAL_S = 0.2
"""Shortest time between two events; the first and the last are always sent."""
WINDOW_S = 8.0
"""Speed is measured over this much of the recent past, so that it neither jumps nor lags."""


class Meter:
    """Reports the progress of one file of `total` bytes with speed and time left."""

    def __init__(self, total: int, report: Report, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._report = report
        self._clock = clock
        self._samples: deque[tuple[float, int]] = deque()
        self._sent_at = float("-inf")

    def expect(self, total: int) -> None:
        """Take note of the size of the file, which a source may be the first to say."""
        self._total = total

    def update(self, done: int) -> None:
        """Take note that `done` bytes have arrived, counted from the file's beginning."""
        now = self._clock()
        if now - self._sent_at < INTERVAL_S and done < self._total:
            return
        if self._samples and done < self._samples[-1][1]:
            self._samples.clear()  # a source began anew
        self._samples.append((now, done))
        while len(self._samples) > 2 and now - self._samples[0][0] > WINDOW_S:
            self._samples.popleft()
        self._sent_at = now
        speed = self._speed()
        self._report(Fetching(done, self._total, speed, (self._total - done) / speed if speed else None))

    def _speed(self) -> float | None:
        (began, first), (ended, last) = self._samples[0], self._samples[-1]
        return (last - first) / (ended - began) if last > first and ended > began else None
