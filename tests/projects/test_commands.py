"""`manage.py ingest` and `manage.py ask`, as a script sees them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from inference.fake import FakeEngine
from inference.supervise import status
from inference.supervise.policy import ChildState
from projects.jobs import ingest_document, learned
from projects.models import Document, Project, Turn
from study.models import StudyTask
from tests.builders import pdf

pytestmark = pytest.mark.django_db(transaction=True)


KEYS = {
    *("answer", "lane", "lane_reason", "predicted_s", "ttft_s", "total_s", "from_cache", "citations", "coverage"),
    *("prompt_tokens", "restored_tokens", "reused_tokens", "read_tokens", "answer_tokens", "model", "conversation"),
}


def run(*arguments: str, code: int = 0) -> str:
    out, ended = StringIO(), 0
    try:
        call_command(*arguments, stdout=out, stderr=StringIO())
    except SystemExit as end:
        ended = int(end.code or 0)
    assert ended == code
    return out.getvalue()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a readable and a broken file, a folder within and a hidden file."""
    (tmp_path / "within").mkdir()
    (tmp_path / "lease.pdf").write_bytes(pdf(["Lease"], ["The monthly rent is 900 euros."]))
    (tmp_path / "within" / "broken.pdf").write_bytes(b"%PDF-1.7")
    (tmp_path / ".hidden").write_text("x")
    return tmp_path


def test_ingest_reads_a_folder_and_reports_each_file(folder: Path) -> None:
    result = json.loads(run("ingest", "Flat", str(folder), "--wait", "indexed", "--json", code=1))

    lease, bad = result["documents"]
    assert result["project"] == "Flat"
    assert lease == {
        "name": "lease.pdf", "state": "ready", "pages": 2, "tokens": None, "warnings": [], "error": ""
    }  # fmt: skip
    assert (bad["name"], bad["state"]) == ("broken.pdf", "failed")
    assert "damaged" in bad["error"]


def test_ingest_leaves_the_reading_to_a_running_worker(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def worker_reads(_: float) -> None:
        for document in Document.objects.filter(state=Document.State.QUEUED):
            ingest_document(document.pk)

    status.write(settings.RUN_DIR, status.own_status("", {"worker": status.ChildStatus(ChildState.RUNNING)}))
    monkeypatch.setattr("projects.intake.waiting.time.sleep", worker_reads)
    monkeypatch.setattr("projects.intake.waiting.ingest", None)  # must not be called
    try:
        result = json.loads(run("ingest", "Flat", str(folder), "--wait", "indexed", "--json", code=1))
    finally:
        status.remove(settings.RUN_DIR)

    assert [document["state"] for document in result["documents"]] == ["ready", "failed"]


def test_ingest_succeeds_when_everything_can_be_searched(folder: Path) -> None:
    (folder / "within" / "broken.pdf").unlink()

    printed = run("ingest", "Flat", str(folder), "--wait", "indexed")

    assert printed == "lease.pdf: ready\n"


def test_ingest_takes_nothing_but_files_and_says_so(folder: Path) -> None:
    outside = folder / ".outside"
    outside.mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "device").symlink_to("/dev/zero")
    (folder / "gone").symlink_to("nowhere.pdf")
    (folder / "linked").symlink_to(outside)
    (folder / "within" / "broken.pdf").unlink()

    documents = json.loads(run("ingest", "Flat", str(folder), "--wait", "indexed", "--json", code=1))["documents"]

    assert {document["name"]: document["error"] for document in documents} == {
        "device": "This is a device, not a file.",
        "fifo": "This is a pipe, not a file.",
        "gone": "This is a link to a file that is not there.",
        "lease.pdf": "",
        "linked": "This is a link to a folder, not a file.",
    }


def test_ingest_of_a_named_pipe_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")

    assert "a pipe, not a file" in run("ingest", "Flat", str(tmp_path / "fifo"))


def test_ingest_without_waiting_leaves_the_files_in_line(folder: Path) -> None:
    result = json.loads(run("ingest", "Flat", str(folder / "lease.pdf"), "--json"))

    assert [document["state"] for document in result["documents"]] == ["queued"]


def test_ingest_of_the_same_folder_again_adds_nothing(folder: Path) -> None:
    run("ingest", "Flat", str(folder), "--wait", "indexed", code=1)
    run("ingest", "Flat", str(folder), "--wait", "indexed", code=1)

    assert Project.objects.get().documents.count() == 2


def test_ingest_of_a_path_that_is_not_there_makes_no_project() -> None:
    with pytest.raises(CommandError, match="no file or folder"):
        run("ingest", "Flat", "/not/there")

    assert not Project.objects.exists()


def test_waiting_for_the_reading_ahead_needs_somebody_who_reads(folder: Path) -> None:
    with pytest.raises(CommandError, match="Readahead is not running, and reading ahead needs it"):
        run("ingest", "Flat", str(folder), "--wait", "read")

    assert not Project.objects.exists()


@pytest.mark.parametrize(("error", "code"), [("", 0), ("The model gave no answer.", 1)], ids=["read", "failed"])
def test_waiting_for_the_reading_ahead_ends_with_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, error: str, code: int
) -> None:
    (folder / "within" / "broken.pdf").unlink()

    def worker_and_reader(_: float) -> None:
        for document in Document.objects.all():
            ingest_document(document.pk)
            learned(document.pk)
            if document.is_answerable:
                StudyTask.objects.update(state="failed" if error else "done", error=error)

    running = status.ChildStatus(ChildState.RUNNING)
    status.write(settings.RUN_DIR, status.own_status("", {"worker": running, "reader": running}))
    monkeypatch.setattr("projects.intake.waiting.time.sleep", worker_and_reader)
    try:
        result = json.loads(run("ingest", "Flat", str(folder), "--wait", "read", "--json", code=code))
    finally:
        status.remove(settings.RUN_DIR)

    assert [document["state"] for document in result["documents"]] == ["ready"]
    assert [task.state for task in StudyTask.objects.filter(kind="document")] == ["failed" if error else "done"]


@pytest.fixture
def flat(folder: Path) -> None:
    run("ingest", "Flat", str(folder), "--wait", "indexed", code=1)


def ask(*arguments: str) -> Any:
    return json.loads(run("ask", "Flat", *arguments, "--json"))


@pytest.mark.usefixtures("flat")
def test_ask_prints_the_answer_with_exactly_these_keys(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append("The rent is 900 euros [1].")

    result = ask("How much is the rent?")

    assert set(result) == KEYS
    assert result["answer"] == "The rent is 900 euros. [1]"
    assert result["citations"] == [{"document": "lease.pdf", "page": 2, "quote": "The monthly rent is 900 euros."}]
    assert result["coverage"] == {"ready": 1, "total": 2, "waiting": []}


@pytest.mark.usefixtures("flat")
def test_ask_goes_on_with_a_conversation(fake_inference: FakeEngine) -> None:
    first = ask("How much is the rent?")
    second = ask("And the deposit?", "--conversation", str(first["conversation"]))

    assert first["conversation"] == second["conversation"]
    assert Turn.objects.count() == 2


@pytest.mark.usefixtures("flat")
def test_ask_without_json_streams_the_answer_and_lists_its_sources(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append("The rent is 900 euros [1].")

    printed = run("ask", "Flat", "How much is the rent?")

    assert printed.startswith("The rent is 900 euros [1].\n")
    assert "- lease.pdf, page 2: “The monthly rent is 900 euros.”" in printed


@pytest.mark.usefixtures("flat")
@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["Flat", "How much is the rent?"], "Readahead is not running. Start it with `make run`"),
        (["Flat", " "], "question"),
        (["Flat", "How much?", "--lane", "deepest"], "no lane 'deepest'. There are digest, passages, deep."),
        (["Flat", "How much?", "--conversation", "99"], "no conversation 99"),
        (["House", "How much?"], "no project 'House'. Projects: Flat."),
    ],
)
def test_ask_fails_with_a_sentence(arguments: list[str], sentence: str) -> None:
    with pytest.raises(CommandError, match=sentence):
        run("ask", *arguments, "--json")


def test_the_first_command_in_a_new_data_folder_makes_its_tables(tmp_path: Path) -> None:
    (tmp_path / "lease.txt").write_text("The rent is 900 euros.")
    command = [
        sys.executable,
        "manage.py",
        "ingest",
        "Flat",
        str(tmp_path / "lease.txt"),
        "--wait",
        "indexed",
        "--json",
    ]
    environment = {**os.environ, "READAHEAD_HOME": str(tmp_path / "home"), "DJANGO_SETTINGS_MODULE": "ragsite.settings"}

    ran = subprocess.run(
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, timeout=60, check=False
    )

    assert ran.returncode == 0, ran.stderr
    assert [document["state"] for document in json.loads(ran.stdout)["documents"]] == ["ready"]
