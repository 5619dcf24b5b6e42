"""kill -9 of the reader, of the model service and of both: the study ends complete and nothing is learned twice."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest
from django.conf import settings

from inference.catalogue import find
from tests.stack import ROOT, manage, wait_for

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]

ADD = """
import pathlib
from django.db import transaction
from projects.intake.service import add_file
from projects.intake.pipeline import ingest
from projects.jobs import learned
from projects.models import Project
from projects.owner import local_owner
project = Project.objects.create(owner=local_owner(), name='Leases')
for name in ('a.txt', 'b.txt'):
    text = '\\n\\n'.join(f'Flat {number} of {name} costs {number * 7 + 300} euros a month.' for number in range(160))
    added = add_file(project, name, [text.encode()])
    ingest(added.document_id)
    learned(added.document_id)
"""
KILLS = [("reader", 0), ("inference", 1), ("both", 2), ("reader", 3), ("both", 4)]
"""Who is killed, and after how many checkpoints: in the middle of the step that follows."""
STRETCH_AND_QUESTION = 1_600 + 200


class Processes:
    """The model service and the reader over one data folder, as the supervisor runs them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        self._commands = {
            "inference": [
                *("-m", "inference.service", "--model", str(settings.MODELS_DIR / find("smollm2-135m").file)),
                *("--run-dir", str(home / "run"), "--snapshots", str(home / "snapshots"), "--window", "8192"),
                *("--conversations", "1", "--threads", "1"),
            ],
            "reader": [str(ROOT / "manage.py"), "qcluster"],
        }

    def start(self, name: str) -> None:
        """Start one of the two."""
        environment = {**os.environ, "READAHEAD_HOME": str(self.home), "Q_CLUSTER_NAME": "study"}
        environment.pop("DJANGO_SETTINGS_MODULE", None)
        with (self.home / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [sys.executable, *self._commands[name]],
                cwd=ROOT,
                env=environment,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, name: str) -> None:
        """Kill one of the two with all its children, as a crash of the machine would."""
        os.killpg(self._running[name].pid, signal.SIGKILL)
        self._running.pop(name).wait()

    def stop(self) -> None:
        """Kill what runs."""
        for name in list(self._running):
            self.kill(name)

    def ask(self, query: str) -> list[tuple[int, ...]]:
        """Return what the database says."""
        with closing(sqlite3.connect(self.home / "db.sqlite3", timeout=20)) as database:
            return database.execute(query).fetchall()

    def checkpoints(self) -> int:
        """Return how many steps of documents are done."""
        return int(self.ask("SELECT SUM(checkpoint) FROM study_studytask WHERE kind = 'document'")[0][0])

    def is_reading(self, after: int) -> bool:
        """Tell whether a step is under way, and so many are done."""
        return self.checkpoints() >= after and bool(self.ask("SELECT 1 FROM study_studytask WHERE state = 'running'"))

    def is_done(self) -> bool:
        """Tell whether everything has been read and drawn together."""
        return not self.ask("SELECT 1 FROM study_studytask WHERE state <> 'done'")


@pytest.fixture
def processes(tmp_path: Path) -> Iterator[Processes]:
    made = Processes(tmp_path)
    yield made
    made.stop()


def test_the_study_survives_kills_at_five_moments(processes: Processes) -> None:
    manage(processes.home, "migrate", "--verbosity", "0")
    processes.start("inference")
    wait_for((processes.home / "run/inference.json").exists, "the service runs")
    manage(processes.home, "shell", "-c", ADD)
    processes.start("reader")
    for target, after in KILLS:
        wait_for(partial(processes.is_reading, after), f"step {after + 1}")
        for name in ("reader", "inference") if target == "both" else (target,):
            processes.kill(name)
            processes.start(name)
    wait_for(processes.is_done, "all is read")

    steps = "SELECT document_id, COUNT(*), COUNT(DISTINCT step) FROM study_sectionsummary GROUP BY document_id"
    for _, rows, distinct in processes.ask(steps):
        assert rows == distinct > 1
    assert processes.ask("SELECT COUNT(*), COUNT(DISTINCT document_id) FROM study_documentsummary") == [(2, 2)]
    assert not processes.ask("SELECT 1 FROM study_sectionsummary WHERE error <> ''")
    # What a step that was done has read is its own stretch at most: all before it came back from the disk.
    for tokens, done in processes.ask("SELECT tokens, checkpoint FROM study_studytask WHERE kind = 'document'"):
        assert tokens <= done * STRETCH_AND_QUESTION
    tokens, total = processes.ask("SELECT SUM(tokens), SUM(tokens_total) FROM study_studytask WHERE document_id > 0")[0]
    assert tokens <= 1.3 * total
