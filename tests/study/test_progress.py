"""What a page and a script are told about the reading."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from inference.errors import PromptTooLong
from inference.fake import FakeAnswer, FakeEngine
from inference.supervise import status
from inference.supervise.policy import ChildState
from inference.supervise.status import ChildStatus, own_status
from projects.models import Project
from study import service
from study.conditions import Reason
from study.models import StudyTask
from study.presence import Presence, touch
from study.progress import document_progress, eta, progress
from tests.study.factories import Clock, Mains, a_reader, add_document, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def supervised() -> Iterator[None]:
    """A reader that runs, and nobody who types."""
    for path in Path(settings.RUN_DIR).glob("presence-*"):
        path.unlink()
    status.write(settings.RUN_DIR, own_status("http://x/", {"reader": ChildStatus(ChildState.RUNNING, pid=1)}))
    yield
    status.remove(settings.RUN_DIR)


@pytest.fixture
def project() -> Project:
    made = make_project()
    for number in range(3):
        add_document(made, f"{number}.txt", "Some words of it. " * 20)
    return made


def test_nothing_to_read_is_idle(fake_inference: FakeEngine) -> None:
    now = progress(power=Mains())
    assert (now.state, now.reason, now.total, now.eta_s, now.percent) == ("idle", None, 0, 0.0, 0)


def test_tokens_and_documents_add_up_while_it_is_read(fake_inference: FakeEngine, project: Project) -> None:
    reader = a_reader()
    reader.turn()  # looks whether there is a digest to be made
    reader.turn()
    now = progress(project.pk, power=Mains())
    assert (now.state, now.read, now.total) == ("reading", 1, 3)
    assert now.read_tokens == StudyTask.objects.get(state="done", kind="document").tokens_total > 0
    assert now.total_tokens > now.read_tokens
    assert now.eta_s is not None
    assert 0 < now.eta_s < 3_600
    assert 0 < now.percent < 100
    reader.run()
    done = progress(project.pk, power=Mains())
    assert (done.state, done.read, done.percent, done.eta_s) == ("done", 3, 100, 0.0)


@pytest.mark.parametrize(
    ("presence", "reason"), [(Presence.TYPING, Reason.TYPING), (Presence.ASKING, Reason.ASKING)], ids=str
)
def test_the_page_says_for_whom_it_waits(
    fake_inference: FakeEngine, project: Project, presence: Presence, reason: Reason
) -> None:
    clock = Clock(now=4_000_000.0 + (presence is Presence.ASKING))
    touch(presence, clock)
    now = progress(project.pk, power=Mains(), clock=clock)
    assert (now.state, now.reason) == ("waiting", reason)
    assert {task.reason for task in now.tasks if task.state == "waiting"} == {reason}


def test_a_wait_without_a_known_end_has_no_time_left(fake_inference: FakeEngine, project: Project) -> None:
    reader = a_reader()
    reader.turn()
    reader.turn()
    assert progress(power=Mains()).eta_s
    assert progress(power=Mains(unplugged=True)).reason is Reason.ON_BATTERY
    assert progress(power=Mains(unplugged=True)).eta_s is None
    service.pause(project.pk)
    assert (progress(power=Mains()).reason, progress(power=Mains()).eta_s) == (Reason.PAUSED, None)
    service.resume(project.pk)
    status.remove(settings.RUN_DIR)
    assert progress(power=Mains()).reason is Reason.NOT_RUNNING


def test_a_paused_project_does_not_make_the_whole_wait(fake_inference: FakeEngine, project: Project) -> None:
    other = make_project("Other")
    add_document(other, "x.txt", "Words.")
    service.pause(other.pk)
    assert progress(power=Mains()).reason is None
    assert progress(other.pk, power=Mains()).reason is Reason.PAUSED


def test_what_cannot_be_kept_on_disk_is_said(fake_inference: FakeEngine, project: Project) -> None:
    fake_inference.trouble = "What was read could not be kept on disk (No space left on device)."
    note = progress(power=Mains()).note
    assert note.startswith("Reading goes on without keeping the model's state: What was read could not be kept")
    a_reader().run()
    assert progress(power=Mains()).read == 3


def test_a_failure_is_counted_and_shown_with_its_cause(fake_inference: FakeEngine, project: Project) -> None:
    fake_inference.answers.append(FakeAnswer(fail=PromptTooLong()))
    a_reader().run()
    now = progress(project.pk, power=Mains())
    assert (now.state, now.read, now.failed) == ("done", 2, 1)
    assert [task.error for task in now.tasks if task.error] == [PromptTooLong().message]
    assert now.eta_s == 0.0


def test_the_time_left_follows_from_tokens_and_speed() -> None:
    tasks = [
        StudyTask(state="running", tokens_total=1_000, tokens_done=400),
        StudyTask(state="waiting", tokens_total=500),
        StudyTask(state="failed", tokens_total=9_000),
        StudyTask(state="done", tokens_total=700, tokens_done=700),
    ]
    assert eta(tasks, 100.0, waits=False) == 11.0
    assert eta(tasks, 0.0, waits=False) is None
    assert eta(tasks, 100.0, waits=True) is None


def test_one_document_can_be_asked_about(fake_inference: FakeEngine, project: Project) -> None:
    first = project.documents.first()
    assert first is not None
    assert document_progress(first.pk).percent == 0  # type: ignore[union-attr]
    a_reader().run()
    assert document_progress(first.pk).percent == 100  # type: ignore[union-attr]
    assert document_progress(0) is None


def _study(*words: str) -> dict[str, object]:
    out = StringIO()
    call_command("study", *words, "--json", stdout=out)
    answer: dict[str, object] = json.loads(out.getvalue())
    return answer


def test_the_command_reports_as_the_design_says(fake_inference: FakeEngine, project: Project) -> None:
    told = _study("status", project.name)
    assert set(told) == {"state", "reason", "done", "total", "eta_s", "read_tokens", "tasks"}
    assert (told["done"], told["total"]) == (0, 3)
    assert _study("pause")["reason"] == "paused"
    assert _study("resume")["reason"] != "paused"
    a_reader().run()
    told = _study("status")
    assert (told["state"], told["done"]) == ("done", 3)
    tasks = told["tasks"]
    assert isinstance(tasks, list)
    assert {task["state"] for task in tasks} == {"done"}
    assert [task["document"] for task in tasks] == [None, "0.txt", "1.txt", "2.txt"]


def test_a_project_that_there_is_not_is_named() -> None:
    with pytest.raises(CommandError, match="no project called Nowhere"):
        call_command("study", "status", "Nowhere")
