"""Wakes the reader, which sleeps while there is nothing to read."""

from __future__ import annotations

from django.db import transaction

from study.queue import READER, enqueue, is_waiting

JOB = "study.jobs.read_ahead"


def wake() -> None:
    """Put the reader's job in line unless it is there already; one that runs looks again before it ends."""
    if not is_waiting(JOB, cluster=READER):
        with transaction.atomic():
            enqueue(JOB, cluster=READER)
