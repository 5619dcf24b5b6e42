"""Lets the reader go on, before its first job, where a process that died has left off."""

from __future__ import annotations

from study import tasks
from study.models import Forgetting
from study.queue import READER, release_taken
from study.waking import wake


def go_on() -> None:
    """Wake the reader if anything is to be read or forgotten; a step of a dead reader is taken over by its claim."""
    release_taken(READER)
    if tasks.is_work_left() or Forgetting.objects.exists():
        wake()
