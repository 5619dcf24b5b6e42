"""`manage.py study`: how the reading ahead stands, and to pause or resume it."""

from __future__ import annotations

import json as jsonlib
from argparse import ArgumentParser
from typing import Any, TypedDict

from django.core.management.base import CommandError

from projects.management.base import DataCommand
from projects.models import Document, Project
from projects.owner import local_owner
from study import service
from study.progress import Progress, TaskProgress, progress


class TaskReport(TypedDict):
    """One task; `document` is null for a project's digest. `done` of `total` are steps."""

    document: str | None
    kind: str
    state: str
    done: int
    total: int
    error: str


class StudyReport(TypedDict):
    """The whole document; `done` of `total` are documents, `reason` says why it waits, null while it does not."""

    state: str
    reason: str | None
    done: int
    total: int
    eta_s: float | None
    read_tokens: int
    tasks: list[TaskReport]


class Command(DataCommand):
    help = "Say how the reading ahead stands, pause it, or resume it: in one project, or everywhere without a name."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("action", choices=["status", "pause", "resume"])
        parser.add_argument("project", nargs="?", help="name of the project (default: all)")
        parser.add_argument("--json", action="store_true", help="one JSON object on standard output")

    def handle(self, *args: Any, action: str, project: str | None, json: bool, **options: Any) -> None:
        project_id = self._project(project)
        if action == "pause":
            service.pause(project_id)
        elif action == "resume":
            service.resume(project_id)
        now = progress(project_id)
        if json:
            self.stdout.write(jsonlib.dumps(_report(now)))
        else:
            self._print(now)

    def _project(self, name: str | None) -> int | None:
        if name is None:
            return None
        found = Project.objects.filter(owner=local_owner(), name=name.strip()).first()
        if found is None:
            raise CommandError(f"There is no project called {name.strip()}.")
        return found.pk

    def _print(self, now: Progress) -> None:
        reason = f" ({now.reason})" if now.reason else ""
        left = f", {now.eta_s:.0f} s left" if now.eta_s else ""
        self.stdout.write(f"{now.state}{reason}: {now.read} of {now.total} documents read{left}")
        if now.note:
            self.stdout.write(now.note)
        for task in _report(now)["tasks"]:
            if task["error"]:
                self.stdout.write(f"{task['document'] or 'All together'}: {task['state']} - {task['error']}")


def _report(now: Progress) -> StudyReport:
    names = dict(Document.objects.filter(pk__in={task.document_id for task in now.tasks}).values_list("pk", "name"))
    return {
        "state": now.state,
        "reason": str(now.reason) if now.reason else None,
        "done": now.read,
        "total": now.total,
        "eta_s": None if now.eta_s is None else round(now.eta_s, 1),
        "read_tokens": now.read_tokens,
        "tasks": [_task(task, names) for task in now.tasks],
    }


def _task(task: TaskProgress, names: dict[int, str]) -> TaskReport:
    return {
        "document": names.get(task.document_id) if task.document_id else None,
        "kind": task.kind,
        "state": task.state,
        "done": task.checkpoint,
        "total": task.steps,
        "error": task.error,
    }
