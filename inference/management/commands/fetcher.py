"""`manage.py fetcher`: fetch and measure the models that the pages ask for, until it is stopped."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from pathlib import Path
from types import FrameType
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connections

from inference.downloads import bell
from inference.downloads.service import bell_path, is_anything_left
from inference.downloads.worker import work_once
from inference.identity import own_identity
from inference.tuning import measuring
from inference.tuning.measuring import measure_once

logger = logging.getLogger(__name__)

POLL_S = 1.0
TROUBLE_S = 5.0
NICENESS = 10
"""Questions come first: what is fetched is hashed and unpacked as well."""


class Command(BaseCommand):
    help = "Fetch and measure the models that the pages ask for; `manage.py up` runs everything."

    def handle(self, *args: Any, **options: Any) -> None:
        # As an exception, so that a child under way is ended and what it has unpacked is deleted.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _end)
        os.nice(max(0, NICENESS - os.nice(0)))
        me = own_identity()
        while True:
            try:
                _work(me)
            except DatabaseError:  # a database that is away for a moment: the rows are there again with it
                logger.exception("the downloads cannot be read")
                connections.close_all()
                time.sleep(TROUBLE_S)


def _work(me: str) -> None:
    # Before looking: what is asked for afterwards rings once more.
    seen = bell.heard(bell_path())
    # Measurements first: they take a minute, a download may take hours.
    if measure_once(me) or work_once(me):
        return
    if not (is_anything_left() or measuring.is_anything_left()):
        _rest(bell_path(), seen)
    time.sleep(POLL_S)


def _rest(path: Path, seen: int) -> None:
    """Become the small process that waits for the bell: models are fetched once in a while, and memory is short."""
    connections.close_all()
    os.chdir(settings.BASE_DIR)
    again = [sys.executable, str(settings.BASE_DIR / "manage.py"), "fetcher"]
    os.execv(sys.executable, [sys.executable, "-m", bell.__name__, str(path), str(seen), *again])  # noqa: S606 - a list of ours


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)
