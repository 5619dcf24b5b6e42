"""A worker that is killed again and again while it reads, and the small files that it reads meanwhile."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from inference.supervise.processes import Mark, find, kill_all, spawn
from tests.builders import docx, pdf
from tests.stack import ROOT

LONGEST_PAUSE_S = 1.2
"""Between two kills: a worker that has just started, one at work and one at rest are all hit."""


@dataclass(frozen=True)
class Expected:
    """A file, and the state in which it must end."""

    content: bytes
    state: str = "ready"


def mixed_files(count: int) -> dict[str, Expected]:
    """Return small files of several kinds; some of them cannot be read."""
    return dict(_mixed(number) for number in range(count))


def _mixed(number: int) -> tuple[str, Expected]:
    line = f"The monthly rent of flat {number} is {900 + number} euros."
    kinds = (
        ("pdf", Expected(pdf(["Lease"], [line]))),
        ("docx", Expected(docx(lambda document: document.add_paragraph(line)))),
        ("md", Expected(f"# Flat {number}\n\n{line}".encode())),
        ("pdf", Expected(f"%PDF-1.7 {number}".encode(), "failed")),
        ("txt", Expected("\n\n".join(f"{line} ({piece})" for piece in range(400)).encode())),
        ("txt", Expected(b" " * (number + 1), "failed")),
        ("txt", Expected(line.encode())),
    )
    ending, file = kinds[number % len(kinds)]
    return f"{number:03}.{ending}", file


class Worker:
    """The queue over a data folder; started again when it has ended, as the supervisor does."""

    def __init__(self, home: Path) -> None:
        self._mark = Mark(home / "run", "kills", "worker")
        self._log = home / "worker.log"
        self._environment = {**os.environ, "READAHEAD_HOME": str(home), "READAHEAD_EMBEDDINGS": "off"}
        self._environment.pop("DJANGO_SETTINGS_MODULE", None)
        self._process = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        return spawn([sys.executable, "manage.py", "qcluster"], self._mark, self._log, ROOT, self._environment)

    def revive(self) -> None:
        """Start it again if it has ended."""
        if self._process.poll() is not None:
            kill_all(self._mark)
            self._process = self._start()

    def kill(self, chance: random.Random) -> None:
        """Kill one of its processes, whichever, but not the one that opens a file: that one is not the worker."""
        family = [process for process in find(self._mark) if "qcluster" in _command(process)]
        if family:
            with suppress(psutil.NoSuchProcess):
                chance.choice(sorted(family, key=lambda process: process.pid)).kill()

    def stop(self) -> None:
        """End everything that belongs to it."""
        kill_all(self._mark)
        self._process.wait()


def kill_at_random(worker: Worker, times: int, seed: int) -> None:
    """Kill the worker so often, at moments that are drawn the same way every time."""
    chance = random.Random(seed)
    for _ in range(times):
        until = time.monotonic() + chance.uniform(0, LONGEST_PAUSE_S)
        while time.monotonic() < until:
            worker.revive()
            time.sleep(0.02)
        worker.kill(chance)
        worker.revive()


def revive_until(worker: Worker, held: Callable[[], bool], patience_s: float, left: Callable[[], str] = str) -> None:
    """Keep the worker running until `held()`; fails, saying what is `left()`, when that takes too long."""
    deadline = time.monotonic() + patience_s
    while not held():
        assert time.monotonic() < deadline, f"the worker does not get done: {left()}"
        worker.revive()
        time.sleep(0.1)


def _command(process: psutil.Process) -> list[str]:
    with suppress(psutil.Error):
        return process.cmdline()
    return []
