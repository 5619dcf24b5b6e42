"""`manage.py up`: run Readahead until it is stopped."""

from __future__ import annotations

import contextlib
import signal
import sys
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand

from inference.supervise.signals import stop_signals
from ragsite.launch import CannotStart, launch

INTERRUPTED = 130


class Command(BaseCommand):
    help = "Run Readahead: web, worker, reader and model, until Ctrl-C."
    requires_system_checks = []  # the children run them, and this one may have to fetch the model first

    def handle(self, *args: Any, **options: Any) -> None:
        # Until the supervisor takes over, every request to stop unwinds like Ctrl-C, so that a fetch ends its helpers.
        for number in stop_signals():
            signal.signal(number, _interrupt)
        try:
            launch(self.say)
        except CannotStart as error:
            self.stderr.write(str(error))
            sys.exit(1)
        except KeyboardInterrupt:
            self.say("Stopped before it was started.")
            sys.exit(INTERRUPTED)

    def say(self, line: str) -> None:
        """Print a line at once; a terminal that is gone is no reason to fail."""
        with contextlib.suppress(OSError):
            self.stdout.write(line)
            self.stdout.flush()


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
