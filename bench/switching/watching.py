"""Watching the model's processes from outside while they change: how many there are, and what memory they hold."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
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


Identity = tuple[int, float]


@dataclass(frozen=True)
class Sample:
    """One moment: resident bytes of each process of the model's, by its identity (number and start).

    What a process has started, as to plan its memory, counts with it, also when it is left behind.
    """

    moment: float
    resident: dict[Identity, int]


class Watch:
    """Samples the processes of one child of an installation until the block ends; `samples` has what was seen."""

    def __init__(self, run_dir: Path, child: str = "inference") -> None:
        self.samples: list[Sample] = []
        self._mark = Mark(run_dir, child=child)
        self._strangers: set[int] = set()
        self._mine: dict[int, tuple[psutil.Process, Identity]] = {}
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
            self.samples.append(self._sample())

    def _sample(self) -> Sample:
        """Look at all processes that there are: of known strangers at the number alone, as looking costs."""
        there = set(psutil.pids())
        self._strangers &= there
        self._mine = {pid: known for pid, known in self._mine.items() if pid in there}
        for pid in sorted(there - self._strangers - self._mine.keys()):
            self._meet(pid)
        resident: dict[Identity, int] = {}
        for process, first in self._mine.values():
            with suppress(psutil.Error):  # gone meanwhile
                # One that has ended and is not collected yet holds no memory.
                if held := process.memory_info().rss:
                    resident[first] = resident.get(first, 0) + held
        return Sample(time.monotonic(), resident)

    def _meet(self, pid: int) -> None:
        try:
            process = psutil.Process(pid)
            if self._mark.covers(process.environ().get(MARK_VARIABLE, "")):
                parent = self._mine.get(process.ppid())
                self._mine[pid] = process, parent[1] if parent else (pid, process.create_time())
            elif time.time() - process.create_time() > YOUNG_S:
                self._strangers.add(pid)
        except psutil.NoSuchProcess:
            return
        except psutil.Error:  # not ours to look into
            self._strangers.add(pid)


def most_at_once(samples: list[Sample]) -> int:
    """Return the largest number of processes that held memory at one moment."""
    return max((len(sample.resident) for sample in samples), default=0)


def lives(samples: list[Sample]) -> list[tuple[float, float, int]]:
    """Return [first seen, last seen, most bytes] of each process in the order of their beginnings."""
    found: dict[Identity, tuple[float, float, int]] = {}
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
