"""Kills: what becomes of files whose reader is killed again and again."""

from __future__ import annotations

import time

from bench.intake.run import Intake
from bench.report import Figure
from projects.intake.service import add_file
from projects.models import Chunk, Document, Project
from projects.owner import local_owner
from tests.killing import Worker, kill_at_random, mixed_files, revive_until

PATIENCE_S = 900.0


def run(intake: Intake) -> list[Figure]:
    """Put files in line, kill processes of the worker at random moments, and look at each file when all is quiet."""
    sizes = intake.options.sizes
    files = mixed_files(sizes.files)
    project = Project.objects.create(owner=local_owner(), name="Kills")
    for name, file in files.items():
        add_file(project, name, [file.content])
    documents = Document.objects.filter(project=project)
    began = time.perf_counter()
    worker = Worker(intake.folder / "home")
    try:
        kill_at_random(worker, sizes.kills, seed=1)
        unfinished = documents.filter(state__in=Document.UNFINISHED)
        revive_until(worker, lambda: not unfinished.exists(), PATIENCE_S)
    finally:
        worker.stop()
    states = dict(documents.values_list("name", "state"))
    wrong = sum(states.get(name) != file.state for name, file in files.items())
    twice = Chunk.objects.filter(document__project=project).count() - _pieces(project)
    detail = f"{sizes.files} files, {sizes.kills} kills, {time.perf_counter() - began:.0f} s"
    return [
        Figure("kills", "files that did not end as they must", wrong, "", 0, "at most", detail),
        Figure("kills", "passages that are there twice", twice, "", 0, "at most"),
    ]


def _pieces(project: Project) -> int:
    return Chunk.objects.filter(document__project=project).values("document", "ordinal").distinct().count()
