"""Runs Readahead as a person would, in processes of its own over a temporary data folder."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parent.parent
PATIENCE_S = 240.0
"""For a slow machine with other work; what holds is noticed at once."""


@dataclass(frozen=True)
class Stack:
    """A running installation: its address and its data folder."""

    url: str
    home: Path

    def health(self) -> dict[str, Any]:
        """Return what /health/ says."""
        answer: dict[str, Any] = httpx.get(f"{self.url}/health/", timeout=30).json()
        return answer

    def answers(self) -> bool:
        """Tell whether the pages are served."""
        try:
            return httpx.get(f"{self.url}/sign-in/", timeout=30).status_code < 400
        except httpx.TransportError:
            return False


@contextmanager
def running(home: Path, *commands: list[str], **environment: str) -> Iterator[Stack]:
    """Run `manage.py` commands over `home` until the block ends; the first is waited for to serve pages."""
    port = _free_port()
    variables = {**os.environ, "READAHEAD_HOME": str(home), "PORT": str(port), **environment}
    variables.pop("DJANGO_SETTINGS_MODULE", None)
    stack = Stack(f"http://127.0.0.1:{port}", home)
    log = home / "stack.log"
    processes = [_start(command, variables, log) for command in commands]
    try:
        wait_for(stack.answers, "the pages are served", processes, log)
        yield stack
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait(PATIENCE_S)


def manage(home: Path, *words: str) -> str:
    """Run one `manage.py` command over `home` to its end and return what it said."""
    variables = {**os.environ, "READAHEAD_HOME": str(home)}
    variables.pop("DJANGO_SETTINGS_MODULE", None)
    command = [sys.executable, str(ROOT / "manage.py"), *words]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def wait_for(
    held: Callable[[], bool], what: str, processes: list[subprocess.Popen[bytes]] | None = None, log: Path | None = None
) -> None:
    """Wait until `held()`; fails with what was waited for, and the end of the log if a process has ended."""
    deadline = time.monotonic() + PATIENCE_S
    while not held():
        ended = any(process.poll() is not None for process in processes or [])
        if ended or time.monotonic() > deadline:
            said = log.read_text(errors="replace")[-2000:] if log else ""
            raise AssertionError(f"Waited in vain until {what}.\n{said}")
        time.sleep(0.1)


def _start(command: list[str], variables: Mapping[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), *command],
            env=variables,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
