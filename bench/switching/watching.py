"""Watching the model's processes from outside while they change: how many there are, and what memory they hold."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import Self

import psutil

from inference.supervise.processes import MARK_VARIABLE, Mark

EVERY_S = 0.02
YOUNG_S = 2.0
"""A process that was just forked shows its parent's environment: it is looked at again until it is this old."""


@dataclass(frozen=True)
class Sample:
    """One moment: resident bytes of each of the model's processes, by their identity (number and start)."""

    moment: float
    resident: dict[tuple[int, float], int]


class Watch:
    """Samples the processes of one child of an installation until the block ends; `samples` has what was seen."""

    def __init__(self, run_dir: Path, child: str = "inference") -> None:
        self.samples: list[Sample] = []
        self._mark = Mark(run_dir, child=child)
        self._known: dict[tuple[int, float], bool] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._done.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._done.wait(EVERY_S):
            resident: dict[tuple[int, float], int] = {}
            for pid in psutil.pids():
                try:
                    self._look(psutil.Process(pid), resident)
                except psutil.Error:  # gone meanwhile
                    continue
            self.samples.append(Sample(time.monotonic(), resident))

    def _look(self, process: psutil.Process, resident: dict[tuple[int, float], int]) -> None:
        identity = (process.pid, process.create_time())
        if identity not in self._known:
            mine = self._mark.covers(process.environ().get(MARK_VARIABLE, ""))
            if not mine and time.time() - identity[1] < YOUNG_S:
                return
            self._known[identity] = mine
        # One that has ended and is not collected yet holds no memory.
        if self._known[identity] and (bytes_held := process.memory_info().rss):
            resident[identity] = bytes_held


def most_at_once(samples: list[Sample]) -> int:
    """Return the largest number of processes that held memory at one moment."""
    return max((len(sample.resident) for sample in samples), default=0)


def lives(samples: list[Sample]) -> list[tuple[float, float, int]]:
    """Return [first seen, last seen, most bytes] of each process in the order of their beginnings."""
    found: dict[tuple[int, float], tuple[float, float, int]] = {}
    for sample in samples:
        for identity, held in sample.resident.items():
            first, _, most = found.get(identity, (sample.moment, 0.0, 0))
            found[identity] = (first, sample.moment, max(most, held))
    return sorted(found.values())


def shortest_gap(samples: list[Sample]) -> float:
    """Return the shortest time in seconds from when one process was last seen to when the next was first; negative when
    they overlap, 0 for fewer than two.
    """
    found = lives(samples)
    return min((after[0] - before[1] for before, after in pairwise(found)), default=0.0)
