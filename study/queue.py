"""The one place that talks to django-q2: put a job in line, count what waits, runs and failed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone


@dataclass(frozen=True)
class QueueCounts:
    """Jobs by state; `running` are those a worker has taken and not finished, `failed` those given up."""

    waiting: int
    running: int
    failed: int


def enqueue(function: str, *ids: int | str) -> str:
    """Put `function` (dotted path) with plain ids in line; return the queue's task id.

    Call it inside the transaction that creates the row: with the ORM broker the job becomes visible with that row or
    not at all.
    """
    from django_q.tasks import async_task

    if not connection.in_atomic_block:
        raise RuntimeError("enqueue() belongs into the transaction that creates what the job works on")
    task_id: Any = async_task(function, *ids)
    return str(task_id)


def counts() -> QueueCounts:
    """Count the jobs of this installation's queue."""
    from django_q.models import Failure, OrmQ

    lines = OrmQ.objects.filter(key=settings.Q_CLUSTER["name"])
    # The ORM broker takes a job by moving its lock into the future by `retry` seconds.
    running = lines.filter(lock__gt=timezone.now()).count()
    return QueueCounts(waiting=lines.count() - running, running=running, failed=Failure.objects.count())


def release_taken() -> int:
    """Put jobs that a dead worker had taken back in line at once; return how many.

    Only for the moment before the one worker of this installation starts: otherwise a job taken by a killed worker
    would come back no sooner than `Q_CLUSTER["retry"]` seconds after it was taken.
    """
    from django_q.models import OrmQ

    now = timezone.now()
    released: int = OrmQ.objects.filter(key=settings.Q_CLUSTER["name"], lock__gt=now).update(lock=now)
    return released
