"""Changing the model of a whole installation, between the small test model and an altered copy of it."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from bench.switching.altered import altered_copy
from inference.supervise import status
from inference.supervise.processes import Mark, find
from inference.switching.report import told
from tests import stack
from tests.inference.engine.conftest import model_file
from tests.reports import PIPER

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]

SMALL, OTHER = "smollm2-135m", "other"
QUESTION = "What was the registration of the aircraft?"


def told_by(home: Path) -> str:
    running = status.read(home / "run")
    return told(running.model) if running and running.model else ""


def change(home: Path, model: str, sentence: str) -> None:
    """Choose a model, and wait until the supervisor says a sentence."""
    stack.manage(home, "models", "activate", model)
    stack.wait_for(lambda: told_by(home) == sentence, sentence)


def asked(home: Path) -> tuple[str, int, int]:
    """Ask the whole text, and return who answered with the tokens restored and read.

    Whether the small model finds words for an answer does not matter here.
    """
    environment = {**os.environ, "READAHEAD_HOME": str(home)}
    environment.pop("DJANGO_SETTINGS_MODULE", None)
    words = ["ask", "Crash", QUESTION, "--fresh", "--lane", "deep", "--json"]
    subprocess.run(
        [sys.executable, "manage.py", *words], cwd=stack.ROOT, env=environment, capture_output=True, check=False
    )
    with closing(sqlite3.connect(home / "db.sqlite3", timeout=60)) as database:
        query = "SELECT model, restored_tokens, read_tokens FROM projects_turn ORDER BY id DESC LIMIT 1"
        model, restored, read = database.execute(query).fetchone()
    return str(model), int(restored), int(read)


def test_what_a_model_has_learned_is_there_again_when_it_comes_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, models, report = tmp_path / "home", tmp_path / "models", tmp_path / PIPER.file_name
    models.mkdir()
    shutil.copyfile(model_file(SMALL), models / model_file(SMALL).name)
    altered_copy(model_file(SMALL), models / f"{OTHER}.gguf")
    report.write_bytes(PIPER.file())
    environment = {"READAHEAD_MODELS": str(models), "READAHEAD_EMBEDDINGS": "off", "READAHEAD_STUDY_ON_BATTERY": "1"}
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("READAHEAD_MODEL", raising=False)
    stack.manage(home, "migrate")
    stack.manage(home, "models", "activate", SMALL)
    with stack.running(home, ["up"]) as running:
        stack.wait_for(lambda: running.health()["status"] == "ok", "everything is well")
        stack.manage(home, "ingest", "Crash", str(report), "--wait", "read", "--json")
        stack.manage(home, "study", "pause")

        change(home, OTHER, f"{OTHER} is in use.")
        assert running.health()["inference"]["model"] == OTHER

        change(home, SMALL, f"{SMALL} is in use.")
        model, restored, read = asked(home)
        assert model == SMALL
        assert restored > read
        assert len(find(Mark(home / "run", child="inference"))) == 1
    assert find(Mark(home / "run")) == []
