"""Tests that no call leaves the machine while a document is read and a question answered."""

from __future__ import annotations

import io
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.management import call_command

from inference.fake import FakeEngine
from projects.intake.pipeline import ingest
from projects.models import Document
from tests.reports import PIPER, QUESTION, REPORTS
from tests.stack import ROOT
from tests.wall import Outbound, Wall, behind_wall, noted_attempts, walled

ATTEMPTS: list[str] = []
WALL = Wall(ATTEMPTS.append)
sys.addaudithook(WALL)


@pytest.fixture
def attempts() -> Iterator[list[str]]:
    """What is tried while the wall is up."""
    ATTEMPTS.clear()
    WALL.up = True
    yield ATTEMPTS
    WALL.up = False


def test_wall_stands(attempts: list[str]) -> None:
    with pytest.raises(Outbound):
        socket.create_connection(("192.0.2.1", 80), timeout=0.1)
    with pytest.raises(Outbound):
        socket.getaddrinfo("example.com", 443)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, pytest.raises(Outbound):
        sender.sendto(b"x", ("192.0.2.1", 53))
    assert len(attempts) == 3


def test_wall_lets_loopback_through(attempts: list[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        assert attempts == []


def test_wall_stands_around_other_processes(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    call = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=0.1)"
    environment = {**os.environ, **walled(notes)}
    done = subprocess.run([sys.executable, "-c", call], env=environment, capture_output=True, text=True, check=False)
    assert "tests.wall.Outbound: socket.getaddrinfo" in done.stderr
    assert len(behind_wall(notes)) == 1
    assert [attempt.split()[0] for attempt in noted_attempts(notes)] == ["socket.getaddrinfo"]


def _letter(path: Path) -> Path:
    """Write a DOCX whose relations point to another machine, as a tracking letter's do."""
    import docx
    from docx.opc.constants import RELATIONSHIP_TYPE

    letter = docx.Document()
    letter.add_heading("Lease", level=1)
    letter.add_paragraph("The monthly rent is 900 euros.")
    letter.part.relate_to("http://tracker.example/pixel.png", RELATIONSHIP_TYPE.IMAGE, is_external=True)
    letter.save(str(path))
    return path


@pytest.mark.django_db(transaction=True)
def test_nothing_leaves_the_machine_while_a_document_is_read_and_asked_about(
    attempts: list[str], fake_inference: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in walled(tmp_path / "notes").items():
        monkeypatch.setenv(name, value)  # for the processes that read the files
    (tmp_path / "notes.txt").write_text("The deposit is three months' rent. See http://tracker.example/ for more.")
    paths = [str(_letter(tmp_path / "lease.docx")), str(tmp_path / "notes.txt")]
    call_command("ingest", "Flat", *paths, stdout=io.StringIO())
    for document in Document.objects.all():
        ingest(document.pk)
        document.refresh_from_db()
        assert document.is_answerable, document.error
    fake_inference.default = "The rent is 900 euros [1]."
    output = io.StringIO()
    call_command("ask", "Flat", "How much is the monthly rent?", json=True, stdout=output)
    assert "900" in json.loads(output.getvalue())["answer"]
    assert fake_inference.requests
    assert attempts == []
    assert noted_attempts(tmp_path / "notes") == []


def without_network() -> list[str]:
    """Return the words before a command that take every network from it; skips where this is not allowed."""
    words = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    if not shutil.which("unshare") or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("A process without network needs Linux, and root or user namespaces.")
    return words


@pytest.mark.engine
@pytest.mark.slow
@pytest.mark.timeout(600)
def test_everything_works_on_a_machine_without_network(tmp_path: Path) -> None:
    """PDFs through the real processes to an answer of the real model, where there is nothing but loopback."""
    folder = tmp_path / "reports"
    folder.mkdir()
    for report in REPORTS:
        (folder / report.file_name).write_bytes(report.file())
    home = tmp_path / "home"
    home.mkdir()
    command = [*without_network(), sys.executable, "-m", "tests.alone", str(home), str(folder), QUESTION]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["interfaces"] == ["lo"]
    assert [document["state"] for document in said["documents"]] == ["ready"] * len(REPORTS)
    assert PIPER.registration in said["answer"]["answer"]
    assert {"document": PIPER.file_name, "page": 2, "quote": PIPER.sentence} in said["answer"]["citations"]
