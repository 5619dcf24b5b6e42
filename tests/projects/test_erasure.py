"""What is deleted stands in no file of the database, while Readahead runs and others have it open."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.db import connection

from projects.intake.erasure import empty_log

ROOT = Path(__file__).resolve().parents[2]

SCRIPT = """
import sqlite3
from pathlib import Path
from django.conf import settings
from projects.intake.pipeline import ingest
from projects.intake.service import add_file, remove_document, remove_project
from projects.models import Document, Project
from projects.owner import local_owner

def places():
    files = (path for path in Path(settings.HOME).rglob("*") if path.is_file())
    return sorted(path.name for path in files if WORD in path.read_bytes())

WORD = b"xylophon"  # as the text and as the index of words have it
other = sqlite3.connect(settings.HOME / "db.sqlite3")  # keeps the log from going away with the last connection
other.execute("SELECT count(*) FROM projects_document").fetchall()
project = Project.objects.create(owner=local_owner(), name="Flat")
document = Document.objects.get(pk=add_file(project, "a.txt", [b"The xylophone is in the attic."]).document_id)
ingest(document.pk)
print("before", bool(places()))
ACTION
print("after", places())
"""
ACTIONS = {
    "document": "remove_document(document)",
    "project": "remove_project(project)",
    "while somebody reads": (
        "other.execute('BEGIN'); other.execute('SELECT * FROM projects_document').fetchone()\n"
        "remove_document(document); other.execute('COMMIT'); remove_project(project)"
    ),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_removed_text_is_in_no_file(action: str, tmp_path: Path) -> None:
    script = SCRIPT.replace("ACTION", ACTIONS[action])
    environment = {**os.environ, "READAHEAD_HOME": str(tmp_path), "DJANGO_SETTINGS_MODULE": "ragsite.settings"}
    for words in (["migrate", "-v", "0"], ["shell", "--no-imports", "-c", script]):
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    assert done.stdout == "before True\nafter []\n"


@pytest.mark.django_db
def test_a_log_that_is_in_use_is_left_for_later() -> None:
    assert connection.in_atomic_block  # where SQLite refuses to empty it
    empty_log()
