"""The one place that talks to django-q2: puts jobs in line, tells what is in line, and says when a worker starts."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import connection
from django.utils import timezone
from django_q.exceptions import TimeoutException

logger = logging.getLogger(__name__)

READER = "study"
"""The queue of the reader's process; all other jobs are in the main one, named in `Q_CLUSTER`."""

JobTimedOut: type[BaseException] = TimeoutException
"""Raised in a job that has run for `Q_CLUSTER["timeout"]` seconds; a SystemExit, which `except Exception` lets pass."""


@dataclass(frozen=True)
class QueueCounts:
    """Jobs by state; `running` are those a worker has taken and not finished, `failed` those given up."""

    waiting: int
    running: int
    failed: int


def main_queue() -> str:
    """Return the name of the queue that the worker takes its jobs from."""
    return str(settings.Q_CLUSTER["name"])


def enqueue(function: str, *ids: int | str, cluster: str = "") -> str:
    """Put `function` (dotted path) with plain ids in line, in the main queue or another; return the queue's task id.

    Call it inside the transaction that creates the row: with the ORM broker the job becomes visible with that row or
    not at all.
    """
    from django_q.tasks import async_task

    if not connection.in_atomic_block:
        raise RuntimeError("enqueue() belongs into the transaction that creates what the job works on")
    task_id: Any = async_task(function, *ids, **({"cluster": cluster} if cluster else {}))
    return str(task_id)


def counts() -> QueueCounts:
    """Count the jobs of this installation's queue."""
    from django_q.models import Failure, OrmQ

    lines = OrmQ.objects.filter(key=main_queue())
    # The ORM broker takes a job by moving its lock into the future by `retry` seconds.
    running = lines.filter(lock__gt=timezone.now()).count()
    return QueueCounts(waiting=lines.count() - running, running=running, failed=Failure.objects.count())


def ids_in_line(function: str) -> set[Any]:
    """Return the first ids of the jobs of `function` that wait or are being worked on."""
    from django_q.models import OrmQ

    tasks = (row.task for row in OrmQ.objects.filter(key=main_queue()))
    return {task["args"][0] for task in tasks if task.get("func") == function}


def is_waiting(function: str, cluster: str) -> bool:
    """Tell whether a job of `function` is in line that no worker has taken yet."""
    from django_q.models import OrmQ

    lines = OrmQ.objects.filter(key=cluster, lock__lte=timezone.now())
    return any(row.task.get("func") == function for row in lines)


def at_worker_start(do: Callable[[], None], cluster: str = "") -> None:
    """Have `do` called in every new worker process before its first job: at the start, and when one has died.

    Only in workers of the main queue, or of the one named. There is one worker process for each
    (`Q_CLUSTER["workers"]`), so in that moment no job of it is being worked on.
    """
    from django_q.conf import Conf
    from django_q.signals import post_spawn

    def receiver(**_: object) -> None:
        if (cluster or main_queue()) != Conf.CLUSTER_NAME:
            return
        try:
            do()
        except Exception:  # the edge of the worker process, which would be started and fail again without end
            logger.exception("what was to be done before the first job failed")

    post_spawn.connect(receiver, weak=False, dispatch_uid=f"{do.__module__}.{do.__qualname__}")


def release_taken(cluster: str = "") -> int:
    """Put jobs that a dead worker of a queue had taken back in line at once; return how many.

    For the start of a worker: a job taken by a killed one would come back no sooner than `Q_CLUSTER["retry"]` seconds
    after it was taken. A job that the queue has handed out in the same moment may run twice.
    """
    from django_q.models import OrmQ

    now = timezone.now()
    released: int = OrmQ.objects.filter(key=cluster or main_queue(), lock__gt=now).update(lock=now)
    return released
