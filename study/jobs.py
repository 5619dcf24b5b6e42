"""Jobs of the reader's queue: each may run twice, and calls one function."""

from __future__ import annotations

from study.reader import Reader
from study.texts import source
from study.waking import wake


def read_ahead() -> None:
    """Read what waits for as long as a job may, and have the rest read by the next one."""
    if Reader(source()).run():
        wake()
