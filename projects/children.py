"""Ending a child process together with all that it has started."""

from __future__ import annotations

import os
import signal
import subprocess
from contextlib import suppress


def end_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a child that leads a group of its own, with whatever it has started, unless it has ended well.

    One that crashed or was killed leaves its own children running: they end too.
    """
    if process.poll() != 0:
        with suppress(ProcessLookupError, PermissionError):  # nobody is left (macOS says the latter)
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
