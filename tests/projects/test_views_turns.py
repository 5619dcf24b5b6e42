"""Tests of asking, asking again and stopping by plain forms."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.contrib.auth.models import User
from django.test import AsyncClient
from django.urls import reverse

from inference.fake import FakeAnswer, FakeEngine
from projects.answering import runs
from projects.models import Conversation, Project, Turn
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    project = make_project()
    add_read(project, "lease.txt", "The rent is 900 euros a month.")
    return project


@pytest.fixture
def page(project: Project, async_client: AsyncClient) -> AsyncClient:
    async_client.force_login(project.owner)
    return async_client


async def post(page: AsyncClient, url: str, data: dict[str, Any] | None = None, *, follow: bool = False) -> Any:
    """Post a form on a thread of the request's own, as under a server; Django's test client leaves that out."""
    async with ThreadSensitiveContext():
        return await page.post(url, data, follow=follow)


async def ended(turn: Turn) -> Turn:
    """Return the turn once its answer has ended."""
    async for _ in runs.follow(turn.pk):
        pass
    await turn.arefresh_from_db()
    return turn


async def test_a_posted_question_is_answered_after_the_request(
    page: AsyncClient, project: Project, fake_inference: FakeEngine, gate: threading.Event
) -> None:
    fake_inference.answers.append(FakeAnswer("It is 900 euros.", gate=gate))
    response = await post(page, reverse("projects:ask", args=[project.pk]), {"question": "What is the rent?"})
    turn = await Turn.objects.aget()
    where = reverse("projects:conversation", args=[project.pk, turn.conversation_id])
    assert response["Location"] == f"{where}#turn-{turn.pk}"
    gate.set()
    assert (await ended(turn)).state == Turn.State.DONE
    assert turn.answer.startswith("It is 900 euros")


async def test_the_next_question_goes_on_with_the_conversation(
    page: AsyncClient, project: Project, fake_inference: FakeEngine
) -> None:
    conversation = await project.conversations.acreate()
    data = {"question": "What is the rent?", "conversation": conversation.pk}
    await post(page, reverse("projects:ask", args=[project.pk]), data)
    assert (await ended(await Turn.objects.aget())).conversation_id == conversation.pk


@pytest.mark.parametrize(
    ("question", "said"), [("   ", "Type a question first."), ("x" * 4001, "The question has 4,001 characters")]
)
async def test_a_question_that_cannot_be_asked_says_why(
    page: AsyncClient, project: Project, question: str, said: str
) -> None:
    response = await post(page, reverse("projects:ask", args=[project.pk]), {"question": question}, follow=True)
    assert said in response.content.decode()
    assert not await Conversation.objects.aexists()


async def test_asking_again_is_a_new_turn_with_the_same_question(
    page: AsyncClient, project: Project, fake_inference: FakeEngine
) -> None:
    conversation = await project.conversations.acreate()
    failed = await Turn.objects.acreate(conversation=conversation, question="Rent?", state=Turn.State.FAILED)
    await post(page, reverse("projects:again", args=[failed.pk]))
    again = await conversation.turns.aget(pk__gt=failed.pk)
    assert again.question == "Rent?"
    assert (await ended(again)).state == Turn.State.DONE
    await failed.arefresh_from_db()
    assert failed.state == Turn.State.FAILED


async def test_stopping_keeps_what_was_written(
    page: AsyncClient, project: Project, fake_inference: FakeEngine, gate: threading.Event
) -> None:
    fake_inference.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    await post(page, reverse("projects:ask", args=[project.pk]), {"question": "What is the rent?"})
    turn = await Turn.objects.aget()
    async for event in runs.follow(turn.pk):
        if getattr(event, "text", ""):
            break
    await post(page, reverse("projects:stop", args=[turn.pk]))
    await turn.arefresh_from_db()
    assert (turn.state, turn.answer) == (Turn.State.STOPPED, "Nine")


async def test_the_project_of_a_stranger_takes_no_question(page: AsyncClient, fake_inference: FakeEngine) -> None:
    other = await Project.objects.acreate(owner=await User.objects.acreate(username="bea"), name="Hers")
    conversation = await other.conversations.acreate()
    mine = await Project.objects.aget(owner__username="ada")
    data = {"question": "What is the rent?", "conversation": conversation.pk}
    assert (await post(page, reverse("projects:ask", args=[mine.pk]), data)).status_code == 404
    assert not await Turn.objects.aexists()
