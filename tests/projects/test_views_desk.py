"""Tests of the desk: what it shows of documents and turns, and when its fragments stop asking."""

from __future__ import annotations

import re

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from inference.contracts import EngineState
from inference.fake import FakeEngine
from projects.models import Citation, Document, Project, Turn
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def page(project: Project, client: Client) -> Client:
    client.force_login(project.owner)
    return client


def desk(page: Client, project: Project) -> str:
    return page.get(reverse("projects:desk", args=[project.pk])).content.decode()


def test_an_empty_desk_says_what_to_do_and_how_large_files_may_be(page: Client, project: Project) -> None:
    html = desk(page, project)
    assert "Drop documents anywhere" in html
    assert f"up to {settings.MAX_UPLOAD_BYTES // 1024**2} MB each" in html


def test_the_desk_needs_no_script_or_style_of_its_own_in_the_page(page: Client, project: Project) -> None:
    html = desk(page, project)
    assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=", html)
    assert not re.search(r"""(src|href|action)=["']https?://""", html)


def test_documents_are_asked_for_again_until_all_are_read(page: Client, project: Project) -> None:
    document = Document.objects.create(project=project, sha256="0" * 64, name="a.txt", size=1)
    url = reverse("projects:documents", args=[project.pk])
    first = page.get(url)
    assert first.status_code == 200
    assert "every 1500ms" in first.content.decode()

    Document.objects.filter(pk=document.pk).update(state=Document.State.READY)
    last = page.get(url)
    assert last.status_code == 286
    assert "every" not in last.content.decode()


def test_a_list_that_would_look_the_same_is_not_put_under_a_finger_again(page: Client, project: Project) -> None:
    document = Document.objects.create(project=project, sha256="0" * 64, name="a.pdf", size=1)
    Document.objects.update(state=Document.State.EXTRACTING, stage_began=timezone.now())
    html = page.get(reverse("projects:documents", args=[project.pk])).content.decode()
    match = re.search(r'hx-get="([^"]+)"', html)
    assert match
    Document.objects.update(stage_done=12, stage_total=300)
    progress = page.get(match[1])
    assert progress["HX-Reswap"] == "none"
    assert "12 of 300 pages" in progress.content.decode()
    assert f'id="reading-{document.pk}" hx-swap-oob="true"' in progress.content.decode()
    assert "<button" not in progress.content.decode()

    Document.objects.update(state=Document.State.FAILED, error="The file is empty.")
    ended = page.get(match[1])
    assert (ended.status_code, "HX-Reswap" in ended.headers) == (286, False)
    assert "Read it again" in ended.content.decode()


def test_a_cancelled_document_does_not_look_as_if_it_were_being_read(page: Client, project: Project) -> None:
    Document.objects.create(project=project, sha256="0" * 64, name="a.txt", size=1, state=Document.State.CANCELLED)
    html = desk(page, project)
    assert "Cancelled" in html
    assert "badge-busy" not in html


def test_a_failed_document_shows_its_cause_in_its_row(page: Client, project: Project) -> None:
    add_read(project, "broken.pdf", b"%PDF-1.7 nothing")
    document = Document.objects.get()
    assert document.error
    assert document.error in desk(page, project)


def test_files_of_the_form_are_added_and_said(page: Client, project: Project) -> None:
    files = [
        SimpleUploadedFile("a.txt", b"one"),
        SimpleUploadedFile("b.txt", b"two"),
        SimpleUploadedFile("c.txt", b"one"),
    ]
    url = reverse("projects:upload", args=[project.pk])
    html = page.post(url, {"files": files}, headers={"accept": "text/html"}, follow=True).content.decode()
    assert "2 files added" in html
    assert "c.txt was here already" in html
    assert project.documents.count() == 2


def test_one_refused_file_does_not_stop_the_others(page: Client, project: Project, settings: Settings) -> None:
    settings.MAX_UPLOAD_BYTES = 3
    files = [SimpleUploadedFile("large.txt", b"four"), SimpleUploadedFile("small.txt", b"two")]
    url = reverse("projects:upload", args=[project.pk])
    response = page.post(url, {"files": files}, headers={"accept": "application/json"})
    assert response.status_code == 201
    assert [file["name"] for file in response.json()["added"]] == ["small.txt"]
    assert "large.txt" in response.json()["refused"][0]


def test_a_form_without_a_file_says_so(page: Client, project: Project) -> None:
    url = reverse("projects:upload", args=[project.pk])
    response = page.post(url, headers={"accept": "application/json"})
    assert response.status_code == 422
    assert response.json()["refused"] == ["No file came with the form. Choose one or more files first."]


def turn_with_answer(project: Project, **fields: object) -> Turn:
    document = add_read(project, "lease.txt", "The rent is 900 euros a month.")
    values = {"question": "What is the rent?", "answer": "It is 900 euros [1].", "state": Turn.State.DONE, **fields}
    turn = Turn.objects.create(conversation=project.conversations.create(title="Rent"), **values)
    chunk = document.chunks.get()
    Citation.objects.create(turn=turn, number=1, document=document, chunk=chunk, quote="900 euros a month")
    return turn


def conversation(page: Client, turn: Turn) -> str:
    url = reverse("projects:conversation", args=[turn.conversation.project_id, turn.conversation_id])
    return page.get(url).content.decode()


def test_an_answer_shows_its_source_with_a_way_to_it(page: Client, project: Project) -> None:
    turn = turn_with_answer(project, ttft_s=1.2, total_s=5.4, coverage={"ready": 1, "total": 1, "waiting": []})
    html = conversation(page, turn)
    url = f"{reverse('projects:source', args=[turn.citations.get().document_id])}?citation={turn.citations.get().pk}"
    assert html.count(url) == 2
    assert 'title="lease.txt: 900 euros a month"' in html
    assert "first word after 1.2 s" in html
    assert "searched the one document" in html
    assert "could be traced" not in html


@pytest.mark.parametrize("state", [Turn.State.FAILED, Turn.State.INTERRUPTED])
def test_a_turn_without_an_answer_names_no_documents_under_it(page: Client, project: Project, state: str) -> None:
    turn = turn_with_answer(project, state=state, error="Broken.", coverage={"ready": 1, "total": 1, "waiting": []})
    assert "the one document" not in conversation(page, turn)


def test_an_answer_without_citations_says_that_nothing_in_it_could_be_traced(page: Client, project: Project) -> None:
    turn = turn_with_answer(project, coverage={"ready": 1, "total": 1, "waiting": []})
    turn.citations.all().delete()
    assert "Nothing in this answer could be traced to a document." in conversation(page, turn)
    Turn.objects.filter(pk=turn.pk).update(answer="The documents do not say.")
    assert "could be traced" not in conversation(page, turn)


def test_a_broken_answer_shows_why_and_offers_to_try_again(page: Client, project: Project) -> None:
    turn = turn_with_answer(project, state=Turn.State.FAILED, error_code="lost", error="The model stopped.")
    html = conversation(page, turn)
    assert "The answer broke off" in html
    assert "The model stopped." in html
    assert f'formaction="{reverse("projects:again", args=[turn.pk])}"' in html


def test_what_would_fail_again_is_not_offered_again(page: Client, project: Project) -> None:
    turn = turn_with_answer(project, state=Turn.State.FAILED, error_code="prompt_too_long", error="Too long.")
    assert "data-again" not in conversation(page, turn)


def test_an_open_turn_can_be_watched_without_javascript(page: Client, project: Project) -> None:
    turn = turn_with_answer(project, state=Turn.State.ANSWERING)
    assert '<noscript><meta http-equiv="refresh"' in conversation(page, turn)
    Turn.objects.update(state=Turn.State.DONE)
    assert "http-equiv" not in conversation(page, turn)


def test_a_question_is_shown_as_text(page: Client, project: Project) -> None:
    turn = turn_with_answer(project, question="<script>alert(1)</script>")
    assert "&lt;script&gt;alert(1)" in conversation(page, turn)


def test_the_number_of_queries_does_not_grow_with_the_turns(
    page: Client, project: Project, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    turn = turn_with_answer(project)
    for number in range(20):
        Turn.objects.create(conversation=turn.conversation, question=f"{number}?", state=Turn.State.DONE)
    with django_assert_max_num_queries(8):
        conversation(page, turn)


def test_the_engine_line_is_asked_for_until_the_model_is_ready(page: Client, fake_inference: FakeEngine) -> None:
    fake_inference.state = EngineState.LOADING
    loading = page.get(reverse("projects:engine"))
    assert loading.status_code == 200
    assert "The model is loading" in loading.content.decode()
    assert "every 2s" in loading.content.decode()

    fake_inference.state = EngineState.READY
    ready = page.get(reverse("projects:engine"))
    assert ready.status_code == 286
    assert "fake-model is ready" in ready.content.decode()
    assert "every" not in ready.content.decode()


def test_without_a_model_process_the_line_says_so(page: Client) -> None:
    response = page.get(reverse("projects:engine"))
    assert response.status_code == 200
    assert 'data-engine="NOT_LOADED"' in response.content.decode()
