"""How far the reading is: of a document, a project and all, in tokens, with the time left and why it waits."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils import timezone

from inference import gateway
from inference.contracts import Health
from inference.supervise import status
from inference.supervise.policy import ChildState
from study import tasks
from study.conditions import PowerSource, Reason, conditions, reason_to_wait
from study.models import StudyPause, StudyTask
from study.presence import Clock
from study.tasks import Kind, State

SAMPLE = 40
"""Documents read last from which the speed is taken: the machine may have been busier before."""
UNKNOWN_TOKENS = 1_500
"""Tokens taken for granted for a document that nobody has counted yet."""


@dataclass(frozen=True)
class TaskProgress:
    """One task as a page shows it. `document_id` is None for a project's digest; counts are tokens of the text."""

    task_id: int
    kind: str
    document_id: int | None
    project_id: int
    state: str
    done: int
    total: int
    checkpoint: int
    steps: int
    attempts: int
    error: str
    reason: Reason | None = None

    @property
    def percent(self) -> int:
        """Share that has been read, 100 only when it is done."""
        if self.state == State.DONE:
            return 100
        return min(99, 100 * self.done // self.total) if self.total else 0


@dataclass(frozen=True)
class Progress:
    """The reading of a project, or of everything.

    `state` is 'reading', 'waiting' (`reason` says for what), 'done' or 'idle' (there is nothing to read). `read` and
    `total` count documents, the others tokens. `eta_s` is None while it cannot be said: nothing has been measured yet,
    or the wait has no known end. `note` is a sentence about the disk, empty when all is well.
    """

    state: str
    reason: Reason | None
    read: int
    total: int
    failed: int
    read_tokens: int
    total_tokens: int
    eta_s: float | None
    tokens_per_s: float
    note: str
    kept_bytes: int
    kept_quota: int
    tasks: tuple[TaskProgress, ...]

    @property
    def percent(self) -> int:
        """Share of the tokens that has been read, 100 only when all is done."""
        if self.state == "done":
            return 100
        return min(99, 100 * self.read_tokens // self.total_tokens) if self.total_tokens else 0


FULL_DISK = "Reading goes on without keeping the model's state: {}"


def progress(
    project_id: int | None = None,
    health: Health | None = None,
    power: PowerSource | None = None,
    clock: Clock = time.time,
) -> Progress:
    """Return how the reading stands, in one project or in all."""
    known = health if health is not None else gateway.health()
    rows = StudyTask.objects.order_by("project_id", "kind", "pk")
    if project_id is not None:
        rows = rows.filter(project_id=project_id)
    found = list(rows)
    documents = [task for task in found if task.kind == Kind.DOCUMENT]
    open_tasks = [task for task in found if task.state in StudyTask.OPEN]
    reason = _reason(open_tasks, known, power, clock) if open_tasks else None
    speed = _speed()
    return Progress(
        state=_state(found, open_tasks, reason),
        reason=reason,
        read=sum(task.state == State.DONE for task in documents),
        total=len(documents),
        failed=sum(task.state == State.FAILED for task in found),
        read_tokens=sum(task.tokens_done for task in documents),
        total_tokens=sum(_total(task) for task in documents),
        eta_s=eta(documents, speed, waits=reason in ENDLESS),
        tokens_per_s=speed,
        note=FULL_DISK.format(known.trouble) if known.trouble else "",
        kept_bytes=known.kept_bytes,
        kept_quota=known.kept_quota,
        tasks=tuple(_task(task, reason) for task in found),
    )


def document_progress(document_id: int) -> TaskProgress | None:
    """Return how the reading of one document stands, None for one that is not to be read; asks no other process."""
    task = StudyTask.objects.filter(kind=Kind.DOCUMENT, document_id=document_id).first()
    return _task(task, None) if task else None


ENDLESS = (Reason.PAUSED, Reason.ON_BATTERY, Reason.NOT_RUNNING, Reason.MODEL_FAILED)
"""Waits whose end nobody can tell."""


def eta(documents: Sequence[StudyTask], tokens_per_s: float, *, waits: bool) -> float | None:
    """Return the seconds until all documents are read at a speed; 0 when they are, None when it cannot be said."""
    left = sum(max(0, _total(task) - task.tokens_done) for task in documents if task.state in StudyTask.OPEN)
    if left == 0:
        return 0.0
    return None if waits or tokens_per_s <= 0 else left / tokens_per_s


def _speed() -> float:
    """Return the tokens of text read per second, all work on it included, over the documents read last; 0 if none."""
    recent = StudyTask.objects.filter(kind=Kind.DOCUMENT, seconds__gt=0, tokens_done__gt=0).order_by("-updated")
    measured = list(recent.values_list("tokens_done", "seconds")[:SAMPLE])
    seconds = sum(seconds for _, seconds in measured)
    return sum(tokens for tokens, _ in measured) / seconds if seconds else 0.0


def _reason(waiting: Iterable[StudyTask], health: Health, power: PowerSource | None, clock: Clock) -> Reason | None:
    """Return why nothing is read at the moment, None while something is."""
    if not is_reader_running():
        return Reason.NOT_RUNNING
    if reason := reason_to_wait(conditions(health, power, clock)):
        return reason
    paused = set(StudyPause.objects.exclude(project=None).values_list("project_id", flat=True))
    if all(task.project_id in paused for task in waiting):
        return Reason.PAUSED
    now = timezone.now()
    return Reason.TRYING_AGAIN if tasks.next_attempt(now) and not tasks.is_under_way(now) else None


def is_reader_running() -> bool:
    """Tell whether the reader of `manage.py up` runs for this data folder, or did until a moment ago."""
    supervisor = status.read(settings.RUN_DIR)
    child = supervisor.children.get("reader") if supervisor else None
    return child is not None and child.state is not ChildState.STOPPED


def _state(found: Sequence[StudyTask], open_tasks: Sequence[StudyTask], reason: Reason | None) -> str:
    if open_tasks:
        return "waiting" if reason else "reading"
    return "done" if found else "idle"


def _total(task: StudyTask) -> int:
    """Return the tokens of a document; what failed or was cancelled is nobody's to wait for."""
    if task.state in StudyTask.OPEN:
        return max(task.tokens_total, task.tokens_done) or UNKNOWN_TOKENS
    return task.tokens_done


def _task(task: StudyTask, reason: Reason | None) -> TaskProgress:
    return TaskProgress(
        task.pk,
        task.kind,
        task.document_id,
        task.project_id,
        task.state,
        task.tokens_done,
        _total(task),
        task.checkpoint,
        task.steps,
        task.attempts,
        task.error,
        reason if task.state in StudyTask.OPEN else None,
    )
