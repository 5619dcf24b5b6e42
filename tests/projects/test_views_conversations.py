"""Tests of renaming and deleting a conversation: by form, by htmx, and with an answer under way."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.test import AsyncClient, Client
from django.urls import reverse

from inference.fake import FakeAnswer, FakeEngine
from projects.answering import runs
from projects.asking import ask_and_start
from projects.models import Citation, Conversation, Document, Project, Turn
from tests.projects.factories import add_read, make_project

HTMX = {"hx-request": "true"}


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def conversation(project: Project) -> Conversation:
    conversation = project.conversations.create(title="What is the rent?")
    Turn.objects.create(conversation=conversation, question="What is the rent?", state=Turn.State.DONE)
    return conversation


@pytest.fixture
def page(project: Project, client: Client) -> Client:
    client.force_login(project.owner)
    return client


def address(action: str, conversation: Conversation) -> str:
    return reverse(f"projects:conversation-{action}", args=[conversation.pk])


def desk_of(conversation: Conversation) -> str:
    return reverse("projects:conversation", args=[conversation.project_id, conversation.pk])


@pytest.mark.django_db
def test_a_conversation_gets_a_title_of_ones_own_and_keeps_its_place(page: Client, conversation: Conversation) -> None:
    before = conversation.updated
    response = page.post(address("rename", conversation), {"title": "  The   flat "})
    assert response["Location"] == desk_of(conversation)
    conversation.refresh_from_db()
    assert (conversation.title, conversation.titled_by, conversation.updated) == ("The flat", "person", before)
    assert "The flat · Flat · Readahead" in page.get(desk_of(conversation)).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("title", ["", "  ", "\u200b", "x" * 201])
@pytest.mark.parametrize("headers", [{}, HTMX], ids=["form", "htmx"])
def test_a_title_that_is_none_is_refused_and_the_old_one_stays(
    page: Client, conversation: Conversation, title: str, headers: dict[str, str]
) -> None:
    response = page.post(address("rename", conversation), {"title": title}, headers=headers)
    assert response.status_code == (200 if headers else 422)
    assert "errorlist" in response.content.decode()
    conversation.refresh_from_db()
    assert (conversation.title, conversation.titled_by) == ("What is the rent?", "question")


@pytest.mark.django_db
def test_in_the_list_the_row_becomes_a_form_and_the_list_asks_anew(page: Client, conversation: Conversation) -> None:
    form = page.get(address("rename", conversation), headers=HTMX).content.decode()
    assert "<html" not in form
    assert 'value="What is the rent?"' in form
    response = page.post(address("rename", conversation), {"title": "The flat"}, headers=HTMX)
    assert (response.status_code, response["HX-Trigger"]) == (204, "conversations-changed")
    assert "conversations-changed from:body" in page.get(desk_of(conversation)).content.decode()


@pytest.mark.django_db
def test_the_list_offers_everything_by_links_and_marks_the_open_one(page: Client, conversation: Conversation) -> None:
    html = page.get(desk_of(conversation)).content.decode()
    for action in ("rename", "markdown", "json", "delete"):
        assert f'href="{address(action, conversation)}"' in html
    assert html.count('aria-current="page"') == 1
    url = reverse("projects:conversations", args=[conversation.project_id])
    again = page.get(url, {"conversation": conversation.pk}, headers=HTMX).content.decode()
    assert again.count('aria-current="page"') == 1


@pytest.mark.django_db
def test_the_number_of_queries_does_not_grow_with_the_list(
    page: Client, project: Project, django_assert_max_num_queries: Any
) -> None:
    Conversation.objects.bulk_create(Conversation(project=project, title=f"{number}") for number in range(40))
    with django_assert_max_num_queries(6):
        page.get(reverse("projects:conversations", args=[project.pk]))


@pytest.mark.django_db(transaction=True)
def test_deleting_asks_first_and_leaves_the_documents(page: Client, conversation: Conversation) -> None:
    document = add_read(conversation.project, "lease.txt", "The rent is 900 euros a month.")
    Citation.objects.create(turn=conversation.turns.get(), number=1, document=document, quote="900 euros")
    asked = page.get(address("delete", conversation)).content.decode()
    assert "“What is the rent?” goes from this machine with its question and answer." in asked
    assert Conversation.objects.exists()

    response = page.post(address("delete", conversation), follow=True)
    assert "“What is the rent?” is deleted." in response.content.decode()
    assert not Conversation.objects.exists()
    assert not Turn.objects.exists()
    assert not Citation.objects.exists()
    assert Document.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_what_was_set_aside_goes_with_its_conversation(page: Client, conversation: Conversation) -> None:
    fresh = Turn.objects.create(conversation=conversation, question="And the deposit?", state=Turn.State.DONE)
    conversation.turns.filter(pk__lt=fresh.pk).update(replaced_by=fresh)
    page.post(address("delete", conversation))
    assert not Turn.objects.exists()


@pytest.mark.django_db(transaction=True)
async def test_deleting_stops_the_answer_that_is_under_way(
    project: Project, async_client: AsyncClient, fake_inference: FakeEngine, gate: threading.Event
) -> None:
    await Document.objects.acreate(project=project, sha256="0" * 64, name="a.txt", size=1, state=Document.State.READY)
    fake_inference.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    turn = await ask_and_start(project.owner, project, "What is the rent?")
    async for event in runs.follow(turn.pk):
        if getattr(event, "text", ""):
            break
    await async_client.aforce_login(project.owner)
    async with ThreadSensitiveContext():
        await async_client.post(reverse("projects:conversation-delete", args=[turn.conversation_id]))
    assert fake_inference.tickets[0].cancelled.is_set()
    assert not await Turn.objects.aexists()
    assert not await Conversation.objects.aexists()
