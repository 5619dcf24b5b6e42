"""Bounds for a process that opens a file of unknown origin: what it may take, and when it ends."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from pathlib import Path

FIRST_TO_GO = "800"
"""In the kernel's scale up to 1,000: when memory runs out it ends this process rather than the model."""

PR_SET_PDEATHSIG = 1
"""Of Linux's prctl."""


def bound_process(*, memory: int, seconds: int, file_size: int) -> None:
    """Bound this process where the platform can: bytes of address space, seconds of processor time, bytes of a file.

    There is no core dump, which would be a copy of the document outside the data folder.
    """
    if sys.platform == "linux":
        _end_with_parent()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(FIRST_TO_GO)
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, bound in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_FSIZE, file_size),
    ):
        with suppress(OSError, ValueError):  # macOS knows some of them in name only
            resource.setrlimit(kind, (bound, resource.getrlimit(kind)[1]))


def _end_with_parent() -> None:
    """Have the kernel kill this process when the one that waits for it dies: nobody would read its reply."""
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
