"""`manage.py fetcher`: fetch the models that the pages ask for, until it is stopped."""

from __future__ import annotations

import logging
import os
import signal
import sys
import time
from types import FrameType
from typing import Any

from django.core.management.base import BaseCommand
from django.db import DatabaseError, connections

from inference.downloads.worker import work_once
from inference.identity import own_identity

logger = logging.getLogger(__name__)

POLL_S = 1.0
TROUBLE_S = 5.0
NICENESS = 10
"""Questions come first: what is fetched is hashed and unpacked as well."""


class Command(BaseCommand):
    help = "Fetch the models that the pages ask for; `manage.py up` runs everything."

    def handle(self, *args: Any, **options: Any) -> None:
        # As an exception, so that a child under way is ended and what it has unpacked is deleted.
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, _end)
        os.nice(NICENESS)
        me = own_identity()
        while True:
            try:
                if not work_once(me):
                    time.sleep(POLL_S)
            except DatabaseError:  # a database that is away for a moment: the rows are there again with it
                logger.exception("the downloads cannot be read")
                connections.close_all()
                time.sleep(TROUBLE_S)


def _end(_number: int, _frame: FrameType | None) -> None:
    sys.exit(0)
