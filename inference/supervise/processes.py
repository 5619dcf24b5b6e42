"""Starting, finding and ending the processes that belong to one installation.

Every child carries a mark in its environment, which its own children inherit. Processes are found by that mark alone:
no number in a file can be stale, a stranger is never touched, and a grandchild that its parent left behind is found.
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import psutil

MARK_VARIABLE = "READAHEAD_SUPERVISED"
LOG_LIMIT_BYTES = 5_000_000
POLL_S = 0.05
KILL_DEADLINE_S = 10.0


@dataclass(frozen=True)
class Mark:
    """Whose a process is: of the installation with `run_dir`, of one life of its supervisor, of one child.

    An empty `run` or `child` stands for any.
    """

    run_dir: Path
    run: str = ""
    child: str = ""

    def __str__(self) -> str:
        return f"{self.child}:{self.run}:{self.run_dir}"

    def covers(self, text: str) -> bool:
        """Tell whether a process that carries `text` is among those this mark describes."""
        child, _, rest = text.partition(":")
        run, _, run_dir = rest.partition(":")
        return run_dir == str(self.run_dir) and self.run in ("", run) and self.child in ("", child)


def spawn(command: Sequence[str], mark: Mark, log: Path, cwd: Path, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a child in a session of its own, its output appended to `log`.

    The own session keeps the terminal's Ctrl-C from it: the supervisor decides who is asked to end, in which order.
    Raises OSError.
    """
    with open_log(log) as output:
        return subprocess.Popen(
            command,
            cwd=cwd,
            env={**env, MARK_VARIABLE: str(mark)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def open_log(path: Path) -> BinaryIO:
    """Open a log to append to, readable by its owner alone; one that has grown too long becomes `NAME.1` first."""
    if path.exists() and path.stat().st_size > LOG_LIMIT_BYTES:
        path.replace(path.with_name(path.name + ".1"))
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")


def find(mark: Mark) -> list[psutil.Process]:
    """Return the live processes that carry the mark; the dead that nobody has collected yet carry none."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.pid != os.getpid() and mark.covers(process.environ().get(MARK_VARIABLE, "")):
                found.append(process)
        except (psutil.Error, OSError):  # gone meanwhile, or another user's
            continue
    return found


def is_alive(process: psutil.Process) -> bool:
    """Tell whether a process still runs; one that has ended and waits to be collected does not."""
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def end_all(mark: Mark, grace_s: float) -> list[int]:
    """Ask all processes with the mark to end and kill what is left after `grace_s`; return the ids that outlived it."""
    known = find(mark)
    send(known, signal.SIGTERM)
    wait_until(lambda: not _left(mark, known), grace_s)
    return kill_all(mark, known)


def kill_all(mark: Mark, known: Sequence[psutil.Process] = ()) -> list[int]:
    """Kill all processes with the mark, wait until they and the `known` ones are gone, and return the ids that are not.

    It looks again until it finds none, so that a process forked meanwhile does not slip through.
    """
    seen = list(known)

    def gone() -> bool:
        left = _left(mark, seen)
        seen.extend(process for process in left if process not in seen)
        send(left, signal.SIGKILL)
        return not left

    return [] if wait_until(gone, KILL_DEADLINE_S) else [process.pid for process in _left(mark, seen)]


def _left(mark: Mark, known: Sequence[psutil.Process]) -> list[psutil.Process]:
    """Return who carries the mark, and who is known and lives.

    A process on its way out has lost its environment already, and holds files and ports for a moment longer.
    """
    return list({*find(mark), *filter(is_alive, known)})


def send(processes: Sequence[psutil.Process], number: signal.Signals) -> None:
    """Send a signal to each process that is still the one that was found."""
    for process in processes:
        try:
            process.send_signal(number)
        except psutil.Error:  # gone meanwhile
            continue


def wait_until(condition: Callable[[], bool], timeout_s: float) -> bool:
    """Poll `condition` until it holds; False when `timeout_s` passed before."""
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() >= deadline:
            return False
        time.sleep(POLL_S)
    return True
