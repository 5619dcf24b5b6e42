"""Signals of the supervisor, turned from interruptions into something its loop waits for."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType, TracebackType
from typing import Any, Self


def stop_signals() -> list[signal.Signals]:
    """Return the signals that mean 'end': under nohup a closed terminal does not.

    Ctrl-C does even where a shell has it ignored, as for a command that a script runs in the background.
    """
    nohup = signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    return [signal.SIGINT, signal.SIGTERM, *([] if nohup else [signal.SIGHUP])]


class Signals:
    """Counts the requests to stop and wakes the loop for them and for the end of a child, while entered.

    Handlers only count. The wake-up goes through a pipe, as a lock must not be taken in a handler.
    """

    def __init__(self) -> None:
        self.stop_requests = 0
        self._before: dict[signal.Signals, Any] = {}

    def __enter__(self) -> Self:
        self._reader, writer = os.pipe()
        os.set_blocking(self._reader, False)
        os.set_blocking(writer, False)
        self._writer = writer
        self._fd_before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (*stop_signals(), signal.SIGCHLD):
            self._before[number] = signal.signal(number, self._count)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._fd_before)
        os.close(self._reader)
        os.close(self._writer)

    def wait(self, timeout_s: float) -> None:
        """Return after `timeout_s`, or as soon as a signal has arrived."""
        if select.select([self._reader], [], [], max(timeout_s, 0.0))[0]:
            os.read(self._reader, 4096)

    def _count(self, number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGCHLD:
            self.stop_requests += 1
