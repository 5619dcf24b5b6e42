"""Tests of two open desks: what is asked, changed or deleted in one is seen in the other, over real websockets."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.test import AsyncClient
from django.urls import reverse

from inference.fake import FakeAnswer, FakeEngine
from projects.models import Conversation, Project, Turn
from tests.projects.test_consumer import Frame, fake, opened, project, text_of, until

__all__ = ["fake", "project"]

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def conversation(project: Project) -> Conversation:
    conversation = project.conversations.create(title="Rent")
    Turn.objects.create(conversation=conversation, question="Who signed?", answer="Ada.", state=Turn.State.DONE)
    return conversation


async def watch(desk: Any, conversation: int | None, *turns: int) -> None:
    await desk.send_json_to({"type": "watch", "conversation": conversation, "turns": list(turns)})


async def shown(conversation: Conversation) -> list[int]:
    return [pk async for pk in conversation.turns.values_list("pk", flat=True)]


async def quiet(desk: Any) -> list[Frame]:
    """Return what is still on its way, without waiting for what may come."""
    frames: list[Frame] = []
    while not await desk.receive_nothing(timeout=0.1):
        frames.append(await desk.receive_json_from())
    return frames


async def test_a_question_and_its_answer_come_to_the_other_tab_as_they_come(
    project: Project, fake: FakeEngine, gate: threading.Event, conversation: Conversation
) -> None:
    fake.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    async with opened(project) as one, opened(project) as two:
        known = await shown(conversation)
        for desk in (one, two):
            await watch(desk, conversation.pk, *known)
        await one.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": conversation.pk})
        before = await until(two, "text")
        (turn,) = [frame for frame in before if frame["type"] == "turn"]
        assert "What is the rent?" in turn["html"]
        assert text_of(before) == "Nine"
        gate.set()
        assert text_of(before + await until(two, "ended")) == "Nine hundred euros."
        assert [frame["turn"] for frame in await until(one, "ended") if frame["type"] == "turn"] == [turn["turn"]]


async def test_the_other_tab_can_stop_the_answer(
    project: Project, fake: FakeEngine, gate: threading.Event, conversation: Conversation
) -> None:
    fake.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    async with opened(project) as one, opened(project) as two:
        await watch(two, conversation.pk, *await shown(conversation))
        await one.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": conversation.pk})
        turn = (await until(two, "text"))[-1]["turn"]
        await two.send_json_to({"type": "stop", "turn": turn})
        assert (await until(one, "ended"))[-1]["state"] == (await until(two, "ended"))[-1]["state"] == "stopped"


async def test_a_tab_with_another_conversation_hears_only_that_the_list_has_changed(
    project: Project, fake: FakeEngine, conversation: Conversation
) -> None:
    async with opened(project) as one, opened(project) as two, opened(make_other(project)) as elsewhere:
        await watch(two, conversation.pk, *await shown(conversation))
        await watch(elsewhere, None)
        await one.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        await until(one, "ended")
        assert {frame["type"] for frame in await quiet(two)} == {"conversations"}
        assert await quiet(elsewhere) == []


def make_other(project: Project) -> Project:
    return Project(pk=project.pk + 1, owner=project.owner, name="Other")


@pytest.fixture(autouse=True)
def other(project: Project) -> None:
    make_other(project).save()


async def test_two_conversations_answer_side_by_side(
    project: Project, fake: FakeEngine, gate: threading.Event, conversation: Conversation
) -> None:
    fake.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    async with opened(project) as one, opened(project) as two:
        await watch(one, conversation.pk, *await shown(conversation))
        await watch(two, None)
        await one.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": conversation.pk})
        await until(one, "text")
        await two.send_json_to({"type": "ask", "question": "Who signed?", "conversation": None})
        assert (await until(two, "ended"))[-1]["state"] == "done"
        gate.set()
        first = await until(one, "ended")
        assert first[-1]["state"] == "done"
        assert {frame["turn"] for frame in first if "turn" in frame} == {first[-1]["turn"]}


async def test_the_tab_in_which_a_conversation_began_goes_on_to_see_it(project: Project, fake: FakeEngine) -> None:
    async with opened(project) as one, opened(project) as two:
        await watch(one, None)
        await one.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        conversation = (await until(one, "ended"))[0]["conversation"]
        await two.send_json_to({"type": "ask", "question": "And the deposit?", "conversation": conversation})
        (turn,) = [frame for frame in await until(one, "ended") if frame["type"] == "turn"]
        assert "And the deposit?" in turn["html"]


async def test_a_tab_that_was_away_gets_what_it_missed_and_loses_what_is_gone(
    project: Project, conversation: Conversation
) -> None:
    (old,) = await shown(conversation)
    fresh = await Turn.objects.acreate(
        conversation=conversation, question="Who let it?", answer="Bea.", state=Turn.State.DONE
    )
    await Turn.objects.filter(pk=old).aupdate(replaced_by=fresh)
    async with opened(project) as desk:
        await watch(desk, conversation.pk, old)
        frames = await until(desk, "ended")
        assert frames[0] == {"type": "gone", "turns": [old]}
        assert (frames[1]["type"], frames[1]["turn"]) == ("turn", fresh.pk)
        await watch(desk, conversation.pk, fresh.pk)
        assert await quiet(desk) == []


async def test_a_changed_question_takes_the_place_of_the_old_one_in_the_other_tab(
    project: Project, fake: FakeEngine, conversation: Conversation, async_client: AsyncClient
) -> None:
    (old,) = await shown(conversation)
    await async_client.aforce_login(project.owner)
    async with opened(project) as desk:
        await watch(desk, conversation.pk, old)
        async with ThreadSensitiveContext():
            await async_client.post(reverse("projects:edit", args=[old]), {"question": "What is the rent?"})
        frames = await until(desk, "ended")
        kinds = [frame["type"] for frame in frames]
        assert {"type": "gone", "turns": [old]} in frames
        assert kinds.index("gone") < kinds.index("turn")
        assert text_of(frames) == fake.default


async def test_a_title_and_a_removal_are_heard_of_in_the_other_tab(
    project: Project, conversation: Conversation, async_client: AsyncClient
) -> None:
    (old,) = await shown(conversation)
    await async_client.aforce_login(project.owner)
    async with opened(project) as desk:
        await watch(desk, conversation.pk, old)
        async with ThreadSensitiveContext():
            await async_client.post(reverse("projects:conversation-rename", args=[conversation.pk]), {"title": "Mine"})
        assert await quiet(desk) == [{"type": "conversations"}]
        async with ThreadSensitiveContext():
            await async_client.post(reverse("projects:conversation-delete", args=[conversation.pk]))
        assert await quiet(desk) == [{"type": "conversations"}, {"type": "gone", "turns": [old]}]


async def test_only_ones_own_conversations_of_this_project_can_be_watched(
    project: Project, conversation: Conversation
) -> None:
    elsewhere = await Conversation.objects.acreate(project_id=project.pk + 1)
    async with opened(project) as desk:
        for pk in (elsewhere.pk, 999):
            await watch(desk, pk)
            assert (await desk.receive_json_from(timeout=10))["code"] == "not_found"


async def test_one_whose_account_was_locked_hears_nothing_more(
    project: Project, fake: FakeEngine, conversation: Conversation
) -> None:
    async with opened(project) as one, opened(project) as two:
        await watch(two, conversation.pk)
        await until(two, "ended")
        asked = {"type": "ask", "question": "What is the rent?", "conversation": conversation.pk}
        await one.send_json_to(asked)
        await asyncio.gather(until(one, "ended"), until(two, "ended"))
        await type(project.owner).objects.filter(pk=project.owner_id).aupdate(is_active=False)
        await notice(project, conversation)
        assert [frame.get("code") for frame in await quiet(two)] == ["not_found"]


async def notice(project: Project, conversation: Conversation) -> None:
    from projects.conversations import notices

    await notices.tell(project.pk, conversation.pk)
