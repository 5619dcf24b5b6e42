"""Tests of the activity page: how far the reading ahead is, why it waits, and steering it."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from inference.contracts import EngineState, Health
from projects.models import Document, Project
from study import progress
from study.models import StudyPause, StudyTask
from tests.projects.factories import make_project
from tests.projects.written import write

pytestmark = pytest.mark.django_db

State = StudyTask.State


@pytest.fixture(autouse=True)
def at_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """The model is ready and the reader runs."""
    monkeypatch.setattr(
        "inference.gateway.health", lambda: Health(EngineState.READY, kept_bytes=2**30, kept_quota=2**34)
    )
    monkeypatch.setattr(progress, "is_reader_running", lambda: True)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def page(project: Project, client: Client) -> Client:
    client.force_login(project.owner)
    return client


def task(project: Project, name: str, state: State, **fields: object) -> StudyTask:
    """Return the reading of a new document, which has 1,000 tokens."""
    document = write(project, name, [f"Text of {name}."])
    StudyTask.objects.filter(document=document).delete()
    values = {"tokens_total": 1000, "tokens_done": 1000 if state == State.DONE else 0, **fields}
    return StudyTask.objects.create(
        kind=StudyTask.Kind.DOCUMENT, project=project, document=document, state=state, **values
    )


def shown(page: Client, query: str = "", **headers: str) -> str:
    return page.get(reverse("projects:activity") + query, headers=headers).content.decode()


def post(page: Client, name: str, *args: int) -> str:
    return page.post(reverse(f"projects:{name}", args=args), follow=True).content.decode()


def test_with_nothing_to_read_it_says_so_and_asks_no_more(page: Client) -> None:
    assert "Nothing to read yet" in shown(page)
    assert page.get(reverse("projects:activity"), headers={"HX-Request": "true"}).status_code == 286


def test_it_says_how_much_is_read_and_how_long_the_rest_takes(page: Client, project: Project) -> None:
    task(project, "a.txt", State.DONE, seconds=10.0)
    task(project, "b.txt", State.RUNNING, tokens_done=400)
    task(project, "c.txt", State.WAITING, tokens_total=11_400)
    html = shown(page)
    assert "1 of 3 documents read · 1,400 of 13,400 tokens · about 2 minutes left" in html
    assert "Reading: 400 of 1,000 tokens" in html
    assert "In line" in html
    assert "1.0" in html
    assert "16.0" in html


def test_it_says_why_it_waits(page: Client, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    task(project, "a.txt", State.WAITING)
    assert "Waiting: paused" in post(page, "pause", project.pk)
    assert "left" not in shown(page)
    monkeypatch.setattr("inference.gateway.health", lambda: Health(EngineState.LOADING))
    assert "Waiting: model loading" in shown(page)


def test_a_failure_is_shown_with_its_cause_and_can_be_tried_again(page: Client, project: Project) -> None:
    failed = task(project, "a.txt", State.FAILED, error="The model gave no summary.")
    html = shown(page)
    assert "The model gave no summary." in html
    assert "1 could not be read" in html
    assert "It is in line again." in post(page, "task-retry", failed.pk)
    failed.refresh_from_db()
    assert failed.state == State.WAITING
    assert "It is in line already." in post(page, "task-retry", failed.pk)


def test_a_document_can_be_read_first_and_not_at_all(page: Client, project: Project) -> None:
    one, two = task(project, "a.txt", State.WAITING), task(project, "b.txt", State.WAITING)
    assert "It is read next." in post(page, "task-first", two.pk)
    assert StudyTask.objects.order_by("-priority").first() == two
    assert "It is not read any further." in post(page, "task-cancel", one.pk)
    one.refresh_from_db()
    assert one.state == State.CANCELLED
    assert "It had been read already." in post(page, "task-cancel", one.pk)
    assert "It is not in line any more." in post(page, "task-first", one.pk)


def test_a_project_is_paused_and_goes_on(page: Client, project: Project) -> None:
    task(project, "a.txt", State.WAITING)
    assert f"Go on: {project.name}" in post(page, "pause", project.pk)
    assert StudyPause.objects.get().project == project
    assert f"Pause: {project.name}" in post(page, "resume", project.pk)
    assert not StudyPause.objects.exists()


def test_only_who_runs_the_machine_pauses_everything(page: Client, project: Project) -> None:
    task(project, "a.txt", State.WAITING)
    assert "Pause all" not in shown(page)
    for name in ("pause-all", "resume-all"):
        assert page.post(reverse(f"projects:{name}")).status_code == 403
    User.objects.filter(pk=project.owner_id).update(is_staff=True)
    assert "Waiting: paused" in post(page, "pause-all")
    assert StudyPause.objects.get().project is None
    assert "Pause all" in post(page, "resume-all")


def test_what_others_read_is_theirs(page: Client, project: Project) -> None:
    task(project, "a.txt", State.DONE)
    other = Project.objects.create(owner=User.objects.create_user("otto"), name="Secret")
    task(other, "secret.txt", State.FAILED, error="Secret words.")
    html = shown(page)
    assert "ecret" not in html
    assert "1 of 1 document read · 1,000 of 1,000 tokens" in html


def test_a_poll_brings_the_bars_alone_until_something_changes(page: Client, project: Project) -> None:
    running = task(project, "a.txt", State.RUNNING, tokens_done=100)
    seen = re.search(r"\?seen=(\w+)", shown(page))
    assert seen is not None
    StudyTask.objects.filter(pk=running.pk).update(tokens_done=700)
    bars = page.get(f"{reverse('projects:activity')}?seen={seen[1]}", headers={"HX-Request": "true"})
    assert bars["HX-Reswap"] == "none"
    assert "Reading: 700 of 1,000 tokens" in bars.content.decode()
    assert "<button" not in bars.content.decode()
    StudyTask.objects.filter(pk=running.pk).update(state=State.FAILED, error="No summary.")
    whole = shown(page, f"?seen={seen[1]}", HX_Request="true")
    assert "No summary." in whole
    assert "Try again" in whole


def test_htmx_is_told_that_the_page_has_changed(page: Client, project: Project) -> None:
    waiting = task(project, "a.txt", State.WAITING)
    response = page.post(reverse("projects:task-first", args=[waiting.pk]), headers={"HX-Request": "true"})
    assert (response.status_code, response["HX-Trigger"]) == (204, "reading-changed")


def test_what_is_drawn_together_is_shown_while_there_is_something_to_do(page: Client, project: Project) -> None:
    task(project, "a.txt", State.DONE)
    StudyTask.objects.filter(document=None).delete()
    digest = StudyTask.objects.create(kind=StudyTask.Kind.DIGEST, project=project, state=State.WAITING)
    assert "All documents together" in shown(page)
    StudyTask.objects.filter(pk=digest.pk).update(state=State.DONE)
    html = shown(page)
    assert "All documents together" not in html
    assert "<summary>1 read</summary>" in html


def test_many_documents_in_line_are_a_click_away(page: Client, project: Project) -> None:
    for number in range(15):
        task(project, f"{number}.txt", State.WAITING)
    assert "3 more in line" in shown(page)


def test_the_page_of_a_document_says_whether_it_was_read_ahead(page: Client, project: Project) -> None:
    waiting = task(project, "a.txt", State.WAITING)
    document = Document.objects.get(study_tasks=waiting)
    html = page.get(reverse("projects:document", args=[document.pk])).content.decode()
    assert "In line" in html
    assert reverse("projects:task-first", args=[waiting.pk]) in html
