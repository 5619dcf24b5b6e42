"""What people are doing right now, as far as the study should keep quiet for it.

The web process touches a file, the reader looks how long ago: it costs nothing, survives nothing, and no lock is held.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from django.conf import settings

Clock = Callable[[], float]


class Presence(StrEnum):
    """TYPING: somebody writes a question. ASKING: one is being answered."""

    TYPING = "typing"
    ASKING = "asking"


HOLDS_S = {Presence.TYPING: 5.0, Presence.ASKING: 4.0}
"""How long a sign is believed. Signs are given about every second; typing has pauses for thought."""
TOUCH_EVERY_S = 1.0

_last: dict[Presence, float] = {}


def touch(kind: Presence, clock: Clock = time.time) -> None:
    """Say that it happens now; cheap enough to be called with every key and every token."""
    now = clock()
    if 0 <= now - _last.get(kind, 0.0) < TOUCH_EVERY_S:
        return
    _last[kind] = now
    _path(kind).write_text(f"{now:.3f}")


def is_present(kind: Presence, clock: Clock = time.time) -> bool:
    """Tell whether it happened within the last seconds; a sign from the future (the clock was set) is not believed."""
    try:
        said = float(_path(kind).read_text())
    except (OSError, ValueError):
        return False
    return 0 <= clock() - said < HOLDS_S[kind]


def _path(kind: Presence) -> Path:
    run_dir: Path = settings.RUN_DIR
    return run_dir / f"presence-{kind}"
