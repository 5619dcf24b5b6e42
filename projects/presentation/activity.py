"""Says how far the reading ahead is: overall, in each project, and of each document, and why it waits."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from inference import gateway
from projects.models import Document, Project
from projects.presentation.intake import about
from study.models import StudyPause
from study.progress import Progress, TaskProgress, progress
from study.tasks import State

SHOWN = 12
"""Documents of a project that are listed at once; the others are a click away."""
TOGETHER = "All documents together"

_BADGES = {"reading": "badge-busy", "waiting": "badge-warn", "done": "badge-good", "idle": ""}
_STATES = {"reading": "Reading", "done": "All is read", "idle": "Nothing to read yet"}
_ORDER = (State.RUNNING, State.FAILED, State.WAITING, State.CANCELLED)


@dataclass(frozen=True)
class Line:
    """How a reading stands: its state in words with a badge, counts in words, and a bar of 0 to 100."""

    state: str
    badge: str
    words: str
    percent: int


@dataclass(frozen=True)
class Row:
    """The reading of one document, or of a project's documents together (`document_id` None)."""

    task_id: int
    document_id: int | None
    name: str
    state: str
    badge: str
    words: str
    error: str
    percent: int

    @property
    def can_begin(self) -> bool:
        """Whether it can be put before the others."""
        return self.state == State.WAITING and self.document_id is not None

    @property
    def can_end(self) -> bool:
        return self.state in (State.WAITING, State.RUNNING)

    @property
    def can_retry(self) -> bool:
        return self.state in (State.FAILED, State.CANCELLED) or bool(self.error and self.state == State.DONE)


@dataclass(frozen=True)
class ProjectReading:
    """A project with what is left to read (`rows`, then `more`) and what has been read."""

    project: Project
    line: Line
    paused: bool
    rows: tuple[Row, ...]
    more: tuple[Row, ...]
    done: tuple[Row, ...]


@dataclass(frozen=True)
class Activity:
    """All that is read ahead. `version` names what stands still: the same one means that only bars have moved.

    `kept` and `quota` are the bytes that the model's states take and may take.
    """

    line: Line
    paused: bool
    note: str
    kept: int
    quota: int
    projects: tuple[ProjectReading, ...]
    version: str
    moving: bool


def activity_of(projects: Iterable[Project]) -> Activity:
    """Return how the reading of these projects stands; asks the model service once."""
    health = gateway.health()
    overall = progress(health=health)
    pauses = set(StudyPause.objects.values_list("project_id", flat=True))
    standing = [(project, progress(project.pk, health)) for project in projects]
    readings = tuple(_project(project, stands, project.pk in pauses) for project, stands in standing)
    line = _line(overall, [stands for _, stands in standing])
    shown = [(reading.project.pk, reading.line.state, reading.paused, _still(reading)) for reading in readings]
    return Activity(
        line=line,
        paused=None in pauses,
        note=overall.note,
        kept=overall.kept_bytes,
        quota=overall.kept_quota,
        projects=tuple(reading for reading in readings if reading.rows or reading.done),
        version=hashlib.sha256(repr((line.state, None in pauses, overall.note, shown)).encode()).hexdigest()[:16],
        moving=overall.state in ("reading", "waiting"),
    )


def row_of(task: TaskProgress, name: str) -> Row:
    """Return one reading as a page shows it."""
    state, badge = _task_state(task)
    return Row(
        task.task_id, task.document_id, name, task.state, badge, _task_words(task, state), task.error, task.percent
    )


def _line(stands: Progress, parts: Sequence[Progress]) -> Line:
    """Return the line of a whole; it counts its parts alone, which are those that a person may see."""
    state = f"Waiting: {stands.reason}" if stands.reason else _STATES[stands.state]
    read, total = sum(part.read for part in parts), sum(part.total for part in parts)
    tokens, all_tokens = sum(part.read_tokens for part in parts), sum(part.total_tokens for part in parts)
    failed = sum(part.failed for part in parts)
    words = [f"{read:,} of {total:,} document{'s' * (total != 1)} read", f"{tokens:,} of {all_tokens:,} tokens"]
    words += [f"{failed:,} could not be read"] * bool(failed)
    if stands.eta_s:
        words.append(f"{about(stands.eta_s)} left")
    percent = 100 if stands.state == "done" else min(99, 100 * tokens // all_tokens) if all_tokens else 0
    return Line(state, _BADGES[stands.state], " · ".join(words) if total else "", percent)


def _project(project: Project, stands: Progress, paused: bool) -> ProjectReading:
    names = dict(Document.objects.filter(project=project).values_list("pk", "name"))
    rows = [row_of(task, _name(task, names)) for task in stands.tasks]
    left = sorted((row for row in rows if row.state != State.DONE or row.error), key=_place)
    done = tuple(row for row in rows if row.state == State.DONE and not row.error and row.document_id)
    return ProjectReading(project, _line(stands, [stands]), paused, tuple(left[:SHOWN]), tuple(left[SHOWN:]), done)


def _place(row: Row) -> int:
    return _ORDER.index(State(row.state)) if row.state in _ORDER else len(_ORDER)


def _name(task: TaskProgress, names: Mapping[int, str]) -> str:
    return names.get(task.document_id, "") if task.document_id is not None else TOGETHER


def _task_state(task: TaskProgress) -> tuple[str, str]:
    """Return what a reading is doing, in words, and the badge of it."""
    if task.state == State.RUNNING:
        return ("Interrupted", "badge-warn") if task.reason else ("Reading", "badge-busy")
    if task.state == State.WAITING:
        return ("Tried again soon", "badge-warn") if task.attempts else ("In line", "")
    if task.state == State.FAILED:
        return "Not read", "badge-bad"
    if task.state == State.CANCELLED:
        return "Cancelled", ""
    return ("Read in part", "badge-warn") if task.error else ("Read", "badge-good")


def _task_words(task: TaskProgress, state: str) -> str:
    if task.state == State.RUNNING and task.total:
        return f"{state}: {task.done:,} of {task.total:,} tokens"
    return state


def _still(reading: ProjectReading) -> list[tuple[int, str, str]]:
    rows = (*reading.rows, *reading.more, *reading.done)
    return [(row.task_id, f"{row.state} {row.badge}", row.error) for row in rows]
