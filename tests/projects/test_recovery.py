"""What a process that died has left behind, and how it is put right before the next worker's first job."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import psutil
import pytest
from django.conf import settings
from django.utils import timezone
from django_q.models import OrmQ
from django_q.signals import post_spawn

from inference.identity import own_identity
from projects.intake import kept, pipeline, store
from projects.intake.extract import isolated, limits
from projects.intake.recovery import recover
from projects.intake.service import INGEST_JOB, add_file, is_left_behind, retry_document
from projects.jobs import ingest_document
from projects.models import Chunk, Document
from study.queue import JobTimedOut, counts, ids_in_line
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db

State = Document.State


def added(state: str, *, taken: bool = False, name: str = "lease.txt") -> Document:
    """Return a document in a state of its life, whose job a worker has taken or not."""
    project = make_project(name)
    document = Document.objects.get(pk=add_file(project, name, [name.encode()]).document_id)
    text_key = "read" if state in Document.ANSWERABLE else ""
    Document.objects.filter(pk=document.pk).update(state=state, text_key=text_key)
    if taken:
        OrmQ.objects.update(lock=timezone.now() + timedelta(seconds=900))
    document.refresh_from_db()
    return document


def now(document: Document) -> Document:
    return Document.objects.get(pk=document.pk)


@pytest.mark.parametrize("state", ["extracting", "indexing"])
def test_a_new_worker_takes_up_what_a_killed_one_was_reading(state: str) -> None:
    document = added(state, taken=True)

    post_spawn.send(sender="django_q", proc_name="worker")

    assert (now(document).state, counts().waiting, counts().running) == ("queued", 1, 0)


@pytest.mark.parametrize("state", ["queued", "extracting", "indexing"])
def test_a_document_whose_job_is_gone_gets_another_one(state: str) -> None:
    document = added(state)
    OrmQ.objects.all().delete()

    recover()
    ingest_document(document.pk)

    assert (ids_in_line(INGEST_JOB), now(document).state) == ({document.pk}, "ready")


def test_what_is_finished_or_in_line_is_left_as_it_is() -> None:
    ready, failed, waiting = added("ready", name="a"), added("failed", name="b"), added("queued", name="c")

    recover()
    recover()

    assert [now(document).state for document in (ready, failed, waiting)] == ["ready", "failed", "queued"]
    assert OrmQ.objects.count() == 3


def test_a_file_that_brings_the_worker_down_again_and_again_fails_in_the_end() -> None:
    document = added("queued")
    Document.objects.update(starts=pipeline.MOST_STARTS)

    ingest_document(document.pk)

    assert now(document).state == "failed"
    assert "was cut off 3 times" in now(document).error
    assert retry_document(document)
    ingest_document(document.pk)
    assert now(document).state == "ready"


@pytest.mark.parametrize(("state", "starts"), [("extracting", 2), ("indexing", 3)])
def test_a_file_is_to_blame_only_for_what_happened_once_its_text_was_here(state: str, starts: int) -> None:
    document = added(state)
    Document.objects.update(starts=3)

    recover()

    assert (now(document).state, now(document).starts) == ("queued", starts)


def test_a_reader_that_crashes_fails_its_document_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()

    with monkeypatch.context() as patch:
        patch.setattr(isolated, "COMMAND", (sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"))
        bad = add_read(project, "a.txt", "a")

    assert (bad.state, bad.error[:44]) == ("failed", "Reading this file was ended from outside, mo")
    assert add_read(project, "b.txt", "b").state == "ready"


def test_a_job_that_runs_out_of_time_fails_its_document(monkeypatch: pytest.MonkeyPatch) -> None:
    document = added("queued")

    def hang(_: object) -> None:
        raise JobTimedOut

    monkeypatch.setattr(pipeline, "_count_tokens", hang)
    ingest_document(document.pk)

    assert (now(document).state, now(document).error) == ("failed", pipeline.TOO_LONG)
    assert not Chunk.objects.exists()


def test_a_document_that_nobody_will_read_can_be_tried_again_and_one_being_read_cannot() -> None:
    document = added("extracting", taken=True)
    assert (is_left_behind(document), retry_document(document)) == (False, False)

    OrmQ.objects.all().delete()

    assert (is_left_behind(document), retry_document(document)) == (True, True)
    assert (now(document).state, counts().waiting) == ("queued", 1)


def test_the_queues_limits_lie_above_those_of_one_file() -> None:
    queue: dict[str, Any] = {**settings.Q_CLUSTER}

    assert limits.MOST_S + 120 <= queue["timeout"] < queue["retry"]


def test_bytes_that_no_document_names_are_deleted_and_others_stay() -> None:
    document = added("ready")
    orphan = store.path_of("ab" + "0" * 62)
    orphan.parent.mkdir(exist_ok=True)
    orphan.write_text("words of a document that is gone")

    recover()

    assert not orphan.exists()
    assert store.path_of(document.sha256).exists()


def test_a_draft_left_behind_is_deleted_and_one_being_written_stays() -> None:
    left, fresh = (Path(settings.FILES_DIR) / f"{store.DRAFT}{name}" for name in ("left", "fresh"))
    left.write_text("half a document")
    fresh.write_text("half a document")
    os.utime(left, (time.time() - 2 * store.STALE_S,) * 2)

    recover()

    assert (left.exists(), fresh.exists()) == (False, True)
    fresh.unlink()


def test_files_within_a_file_go_when_the_process_that_read_it_is_dead() -> None:
    place = Path(settings.HOME) / "unpacked"
    with subprocess.Popen([sys.executable, "-c", ""]) as ended:
        # Dead and not collected, as a process whose parent was killed stays where nobody adopts it.
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        uncollected = f"{ended.pid}:{int(psutil.Process(ended.pid).create_time())}"
        left, in_use = place / f"{uncollected}-left", place / f"{own_identity()}-use"
        for folder in (left, in_use):
            (folder / "within").mkdir(parents=True)

        recover()

        assert (left.exists(), in_use.exists()) == (False, True)
    shutil.rmtree(place)


def test_recognised_pages_stay_for_a_reading_that_goes_on_and_no_other() -> None:
    unfinished, finished = added("extracting", name="a"), added("ready", name="b")
    folders = [kept.folder_of(pk) for pk in (unfinished.pk, finished.pk, finished.pk + 1)]

    recover()

    assert [folder.exists() for folder in folders] == [True, False, False]
    kept.remove(unfinished.pk)
