"""Transitions of study tasks: each is one conditional update, so of two that want the same row one is told no."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Now

from inference.identity import is_alive
from study.models import StudyPause, StudyTask

State = StudyTask.State
Kind = StudyTask.Kind

LEASE = timedelta(seconds=90)
"""Life of a claim without a sign of life. The model shows one every 2 s, and the claim is renewed by it."""
BACKOFF = (timedelta(seconds=20), timedelta(minutes=2), timedelta(minutes=10))
"""Waits before a failed step is tried again; after the last attempt the step is given up."""
WHEN_LOST = (timedelta(seconds=2),) * 8 + BACKOFF
"""Waits where the model's process ended under the step: hardly ever the fault of the step, unless it happens again and
again."""


GONE = "There is no text of it at the moment."


class ClaimLost(Exception):
    """The task is not this reader's any more: cancelled, removed, started anew, or taken over."""


@dataclass(frozen=True)
class Claim:
    """A task taken for one step by `owner`."""

    task_id: int
    owner: str


@dataclass(frozen=True)
class Failed:
    """A step that failed: why, for a person, after how many attempts before, and when it may be tried again."""

    sentence: str
    attempts: int
    waits: tuple[timedelta, ...] = BACKOFF


def claim(owner: str, now: datetime) -> Claim | None:
    """Take the task whose step is next, None when there is none; RUNNING tasks of dead readers are taken over."""
    for row in _in_order(_available(now)).values("pk", "state", "claimed_by", "lease_until")[:5]:
        taken = StudyTask.objects.filter(**row).update(
            state=State.RUNNING, claimed_by=owner, lease_until=now + LEASE, not_before=None, updated=Now()
        )
        if taken:
            return Claim(row["pk"], owner)
    return None


def next_attempt(now: datetime) -> datetime | None:
    """Return when the first of the tasks that wait for another attempt may be tried, None when none waits."""
    later = _unpaused(StudyTask.objects.filter(state=State.WAITING, not_before__gt=now))
    return later.order_by("not_before").values_list("not_before", flat=True).first()


def claimable(now: datetime) -> bool:
    """Tell whether there is a step that can be taken now, or again after a failure."""
    return _available(now).exists() or next_attempt(now) is not None


def is_under_way(now: datetime) -> bool:
    """Tell whether a step is being taken, or could be now."""
    return StudyTask.objects.filter(state=State.RUNNING).exists() or _available(now).exists()


def is_work_left() -> bool:
    """Tell whether anything is waiting or claimed, paused or not."""
    return StudyTask.objects.filter(state__in=StudyTask.OPEN).exists()


def renew(held: Claim, now: datetime) -> None:
    """Show a sign of life. Raises ClaimLost."""
    if not _held(held).update(lease_until=now + LEASE):
        raise ClaimLost


def settle(held: Claim, state: State, **changes: Any) -> None:
    """End a claim in the transaction that stores what the step has found. Raises ClaimLost, and nothing is stored."""
    if not transaction.get_connection().in_atomic_block:
        raise RuntimeError("settle() belongs into the transaction that stores the result")
    if not _held(held).update(state=state, claimed_by="", lease_until=None, updated=Now(), **changes):
        raise ClaimLost


def give_back(held: Claim) -> None:
    """Let a step that was not done wait as it did; a claim that is lost already stays lost."""
    _held(held).update(state=State.WAITING, claimed_by="", lease_until=None)


def postpone(held: Claim, failed: Failed, now: datetime) -> bool:
    """Let a failed step be tried again later; False, and nothing done, when it has been tried often enough."""
    if failed.attempts >= len(failed.waits):
        return False
    _held(held).update(
        state=State.WAITING,
        claimed_by="",
        lease_until=None,
        attempts=F("attempts") + 1,
        not_before=now + failed.waits[failed.attempts],
        error=failed.sentence,
        updated=Now(),
    )
    return True


FRESH: dict[str, Any] = {
    "state": State.WAITING,
    "checkpoint": 0,
    "steps": 0,
    "tokens_done": 0,
    "attempts": 0,
    "error": "",
    "claimed_by": "",
    "lease_until": None,
    "not_before": None,
}
"""A task as it is when nothing has been done for it under its keys."""


def start_over(tasks: QuerySet[StudyTask], **changes: Any) -> int:
    """Let tasks wait as new ones, whatever they are; a reader that works on one finds its claim gone."""
    return tasks.update(**{**FRESH, "updated": Now(), **changes})


def wake_digests(project_id: int | None = None) -> None:
    """Have the digest of a project, or of each, looked at: whether it is due is decided there (`digest_steps`).

    In the transaction of what it tells of, so that nobody sees all read and nothing drawn together. What went wrong
    last time stays noted, lest it be tried again for nothing.
    """
    digests = StudyTask.objects.filter(kind=Kind.DIGEST).exclude(state__in=StudyTask.OPEN)
    if project_id is not None:
        digests = digests.filter(project_id=project_id)
    digests.update(state=State.WAITING, attempts=0, not_before=None, updated=Now())


def cancel(task_id: int) -> bool:
    """Cancel a task that is not over; False when it is."""
    open_tasks = StudyTask.objects.filter(pk=task_id, state__in=StudyTask.OPEN)
    return bool(
        open_tasks.update(state=State.CANCELLED, claimed_by="", lease_until=None, not_before=None, updated=Now())
    )


def _held(held: Claim) -> QuerySet[StudyTask]:
    return StudyTask.objects.filter(pk=held.task_id, state=State.RUNNING, claimed_by=held.owner)


def _available(now: datetime) -> QuerySet[StudyTask]:
    waiting = Q(state=State.WAITING) & (Q(not_before=None) | Q(not_before__lte=now))
    left = Q(state=State.RUNNING) & (Q(lease_until__lt=now) | Q(claimed_by__in=_dead_owners()))
    return _unpaused(StudyTask.objects.filter(waiting | left))


def _unpaused(tasks: QuerySet[StudyTask]) -> QuerySet[StudyTask]:
    if StudyPause.objects.filter(project=None).exists():
        return tasks.none()
    return tasks.exclude(project__in=StudyPause.objects.exclude(project=None).values("project"))


def _dead_owners() -> Sequence[str]:
    owners = StudyTask.objects.filter(state=State.RUNNING).order_by().values_list("claimed_by", flat=True).distinct()
    return [owner for owner in owners if not is_alive(owner)]


def _in_order(tasks: QuerySet[StudyTask]) -> QuerySet[StudyTask]:
    """What a person put first; then what draws together, since it waits until that pays; then what is begun."""
    begun = Case(When(kind=Kind.DIGEST, then=Value(0)), When(checkpoint__gt=0, then=Value(1)), default=Value(2))
    return tasks.order_by("-priority", begun, "pk")
