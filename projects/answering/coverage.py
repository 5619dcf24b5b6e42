"""What an answer rests on: how many of the project's documents can be searched, and which are still on their way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from projects.models import Document, Project


@dataclass(frozen=True)
class Coverage:
    """`ready` of `total` documents are searchable; `waiting` names those that will be without anybody's doing."""

    ready: int
    total: int
    waiting: tuple[str, ...]
    unread: tuple[str, ...] = ()

    def to_json(self) -> dict[str, object]:
        """Return the object that is stored with a turn and printed by `ask --json`."""
        return {"ready": self.ready, "total": self.total, "waiting": list(self.waiting)}


def coverage_of(project: Project) -> Coverage:
    """Look at the states of the project's documents; `unread` names those that failed or need a password."""
    return summarise(project.documents.values_list("name", "state"))


def summarise(documents: Iterable[tuple[str, str]]) -> Coverage:
    """Sort (name, state) pairs into a Coverage."""
    rows = list(documents)
    ready = sum(state in Document.ANSWERABLE for _, state in rows)
    waiting = tuple(name for name, state in rows if state not in Document.FINAL)
    unread = tuple(name for name, state in rows if state in Document.FINAL and state not in Document.ANSWERABLE)
    return Coverage(ready, len(rows), waiting, unread)


def explain_nothing_ready(coverage: Coverage) -> str:
    """Say why a question cannot be answered when no document is ready."""
    if coverage.total == 0:
        return "This project has no documents yet. Add some, then ask again."
    if coverage.waiting:
        return f"No document is ready yet: {_names(coverage.waiting)} still being read. Ask again in a moment."
    return f"None of the documents could be read: {_names(coverage.unread)}. Their pages say why."


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"
