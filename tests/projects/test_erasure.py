"""What is deleted stands in no file of the database, while Readahead runs and others have it open."""

from __future__ import annotations

import os
import shutil
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
from projects.intake import store
from projects.intake.pipeline import ingest
from projects.intake.service import add_file, remove_document, remove_project, replace_document, retry_document
from projects.models import Citation, Document, Project, Turn
from projects.owner import local_owner
from study.models import Digest, DocumentSummary, PreparedAnswer, SectionSummary
from study.service import document_changed

WORD = b"xylophon"  # as the text and as the index of words have it
TEXT = "The xylophone is in the attic."

def places():
    files = (path for path in Path(settings.HOME).rglob("*") if path.is_file())
    return sorted(path.name for path in files if WORD in path.read_bytes())

def read(name, content, parent=None):
    added = add_file(project, name, [content], parent=parent)
    ingest(added.document_id)
    return Document.objects.get(pk=added.document_id)

def read_again(content):
    store.path_of(document.sha256).write_bytes(content)
    retry_document(document)
    ingest(document.pk)

def learn():
    document_changed(document.pk)
    keys = dict(document=document, text_key=document.text_key, model_key="m", prompt_version="1")
    SectionSummary.objects.create(step=0, text=TEXT, **keys)
    DocumentSummary.objects.create(text=TEXT, **keys)
    entry = dict(document_id=document.pk, text_key=document.text_key, line=TEXT, body=TEXT)
    about = dict(project=project, model_key="m", prompt_version="1")
    Digest.objects.create(key="k", level="full", entries=[entry], **about)
    PreparedAnswer.objects.create(position=0, question="What?", answer=TEXT, digest_key="k", **about)

def ask():
    prompt = [dict(role="user", content=TEXT)]
    turn = Turn.objects.create(conversation=project.conversations.create(), question="Where?", prompt=prompt)
    Citation.objects.create(turn=turn, number=1, document=document, chunk=document.chunks.get(), quote=TEXT)

other = sqlite3.connect(settings.HOME / "db.sqlite3")  # keeps the log from going away with the last connection
other.execute("SELECT count(*) FROM projects_document").fetchall()
project = Project.objects.create(owner=local_owner(), name="Flat")
mail = read("mail.txt", b"See attached.")
document = read("a.txt", TEXT.encode(), mail)
learn()
ask()
print("before", bool(places()))
ACTION
print("after", places())
"""
ACTIONS = {
    "document": "remove_document(document)",
    "what it is attached to": "remove_document(mail)",
    "project": "remove_project(project)",
    "while somebody reads": (
        "other.execute('BEGIN'); other.execute('SELECT * FROM projects_document').fetchone()\n"
        "remove_document(document); other.execute('COMMIT'); remove_project(project)"
    ),
    "replaced": "replace_document(document, [b'The drum is in the attic.'])",
    "read again as another text": "read_again(b'The drum is in the attic.')",
    "read again in vain": "read_again(b'')",
}


def run(home: Path, *words: str) -> str:
    environment = {**os.environ, "READAHEAD_HOME": str(home), "DJANGO_SETTINGS_MODULE": "ragsite.settings"}
    command = [sys.executable, "manage.py", *words]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def empty_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data folder whose database has its tables."""
    home = tmp_path_factory.mktemp("empty") / "home"
    run(home, "migrate", "-v", "0")
    return home


@pytest.mark.parametrize("action", ACTIONS)
def test_removed_text_is_in_no_file(action: str, empty_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(empty_home, home)
    said = run(home, "shell", "--no-imports", "-c", SCRIPT.replace("ACTION", ACTIONS[action]))
    assert said == "before True\nafter []\n"


@pytest.mark.django_db
def test_a_log_that_is_in_use_is_left_for_later() -> None:
    assert connection.in_atomic_block  # where SQLite refuses to empty it
    empty_log()


CONVERSATION_SCRIPT = """
import sqlite3
from pathlib import Path
from django.conf import settings
from projects.conversations.removal import remove_conversation
from projects.models import Project, Turn
from projects.owner import local_owner

def places():
    files = (path for path in Path(settings.HOME).rglob("*") if path.is_file())
    return sorted(path.name for path in files if b"xylophone" in path.read_bytes())

other = sqlite3.connect(settings.HOME / "db.sqlite3")
other.execute("SELECT count(*) FROM projects_turn").fetchall()
conversation = Project.objects.create(owner=local_owner(), name="Flat").conversations.create(title="My xylophone")
Turn.objects.create(conversation=conversation, question="Where is the xylophone?", answer="The xylophone is away.")
print("before", bool(places()))
remove_conversation(conversation)
print("after", places())
"""


def test_a_deleted_conversation_is_in_no_file(empty_home: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    shutil.copytree(empty_home, home)
    assert run(home, "shell", "--no-imports", "-c", CONVERSATION_SCRIPT) == "before True\nafter []\n"
