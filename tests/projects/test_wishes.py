"""What a person may want of an answer, over the websocket and by forms: a lane, another try, one that lacks nothing."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import AsyncClient
from django.urls import reverse

from inference.fake import FakeEngine
from projects.answering import warming
from projects.models import Conversation, Document, Project, Turn
from projects.presentation.offers import offer_for
from projects.presentation.turns import render_turn
from study.presence import Presence, is_present
from tests.projects.factories import add_read
from tests.projects.test_consumer import fake, opened, project, until
from tests.projects.test_views_turns import ended, page, post

__all__ = ["fake", "page", "project"]

pytestmark = pytest.mark.django_db(transaction=True)

QUESTION = "What is the rent?"


def asked(conversation: int | None = None, **wishes: Any) -> dict[str, Any]:
    return {"type": "ask", "question": QUESTION, "conversation": conversation, **wishes}


def answered(project: Project, **fields: Any) -> Turn:
    """Return a turn that was answered earlier."""
    conversation = Conversation.objects.create(project=project)
    done = {"state": Turn.State.DONE, "question": QUESTION, "answer": "It is 900.", "lane": "passages"}
    return Turn.objects.create(conversation=conversation, **{**done, **fields})


# Over the websocket


async def test_the_lane_that_is_chosen_beside_the_field_is_the_one_that_is_taken(
    project: Project, fake: FakeEngine
) -> None:
    async with opened(project) as desk:
        await desk.send_json_to(asked(lane="passages"))
        await until(desk, "ended")
    turn = await Turn.objects.aget()
    assert (turn.wanted_lane, turn.lane) == ("passages", "passages")


async def test_read_it_properly_asks_the_same_again_in_the_same_thread(project: Project, fake: FakeEngine) -> None:
    async with opened(project) as desk:
        await desk.send_json_to(asked())
        first = (await until(desk, "ended"))[-1]
        assert "Read it properly" in first["html"]
        conversation = (await Turn.objects.aget()).conversation_id
        await desk.send_json_to(asked(conversation, lane="deep"))
        await until(desk, "ended")
    before, after = [turn async for turn in Turn.objects.order_by("pk")]
    assert (after.question, after.conversation_id) == (before.question, before.conversation_id)
    assert after.wanted_lane == "deep"


async def test_the_second_time_says_that_it_was_answered_before_and_offers_to_ask_again(
    project: Project, fake: FakeEngine
) -> None:
    async with opened(project) as desk:
        await desk.send_json_to(asked())
        await until(desk, "ended")
        await desk.send_json_to(asked())
        again = (await until(desk, "ended"))[-1]
        assert "answered before, documents unchanged" in again["html"]
        assert "Ask again" in again["html"]
        requests = len(fake.requests)
        await desk.send_json_to(asked(fresh=True))
        afresh = (await until(desk, "ended"))[-1]
    assert "answered before" not in afresh["html"]
    assert len(fake.requests) > requests


async def test_a_lane_that_there_is_not_is_refused_and_the_socket_stays(project: Project, fake: FakeEngine) -> None:
    async with opened(project) as desk:
        await desk.send_json_to(asked(lane="slow"))
        assert (await until(desk, "error"))[-1]["code"] == "bad_frame"
        await desk.send_json_to(asked())
        await until(desk, "ended")


async def test_typing_is_noticed_and_warms_up_and_sends_nothing_back(
    project: Project, fake: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    warmed: list[tuple[int, int | None]] = []
    monkeypatch.setattr(warming, "warm_up", lambda *args: warmed.append(args))
    async with opened(project) as desk:
        assert not is_present(Presence.TYPING)
        await desk.send_json_to({"type": "typing", "conversation": None})
        assert await desk.receive_nothing(timeout=0.2)
    assert is_present(Presence.TYPING)
    assert warmed == [(project.pk, None)]


async def test_typing_in_a_conversation_of_another_project_warms_up_nothing(
    project: Project, fake: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(warming, "warm_up", lambda *args: pytest.fail("warmed up"))
    other = await Project.objects.acreate(owner_id=project.owner_id, name="House")
    conversation = await Conversation.objects.acreate(project=other)
    async with opened(project) as desk:
        await desk.send_json_to({"type": "typing", "conversation": conversation.pk})
        assert (await until(desk, "error"))[-1]["code"] == "not_found"


# By forms


async def test_a_form_may_choose_the_lane(page: AsyncClient, project: Project, fake: FakeEngine) -> None:
    await post(page, reverse("projects:ask", args=[project.pk]), {"question": QUESTION, "lane": "passages"})
    assert (await ended(await Turn.objects.aget())).wanted_lane == "passages"


async def test_a_form_with_a_lane_that_there_is_not_asks_nothing(
    page: AsyncClient, project: Project, fake: FakeEngine
) -> None:
    await post(page, reverse("projects:ask", args=[project.pk]), {"question": QUESTION, "lane": "slow"})
    assert not await Turn.objects.aexists()


@pytest.mark.parametrize(
    ("action", "lane", "fresh"),
    [("again", "passages", False), ("deeper", "deep", False), ("afresh", "passages", True)],
)
async def test_the_buttons_of_an_answer_ask_once_more_by_a_form(
    page: AsyncClient, project: Project, fake: FakeEngine, action: str, lane: str, fresh: bool
) -> None:
    await post(page, reverse("projects:ask", args=[project.pk]), {"question": QUESTION, "lane": "passages"})
    before = await ended(await Turn.objects.aget())
    response = await post(page, reverse(f"projects:{action}", args=[before.pk]))
    after = await ended(await Turn.objects.alatest("pk"))
    assert response["Location"].endswith(f"#turn-{after.pk}")
    assert (after.conversation_id, after.question) == (before.conversation_id, QUESTION)
    assert (after.wanted_lane, after.fresh) == (lane, fresh)


# What an answer offers


@pytest.mark.parametrize(
    ("fields", "offered"),
    [({"lane": "digest"}, True), ({"lane": "passages"}, True), ({"lane": "deep"}, False), ({"state": "failed"}, False)],
    ids=["digest", "passages", "read in full", "failed"],
)
def test_an_answer_that_is_not_of_the_whole_text_offers_to_read_it(
    project: Project, fields: dict[str, str], offered: bool
) -> None:
    turn = answered(project, **fields)
    assert ("Read it properly" in render_turn(turn.pk)) is offered


def waiting(project: Project, *names: str) -> Turn:
    """Return an answer that had to do without these documents, which are still being read."""
    for name in names:
        Document.objects.create(project=project, name=name, sha256=name, size=1, state=Document.State.EXTRACTING)
    return answered(project, coverage={"ready": 1, "total": 1 + len(names), "waiting": list(names)})


def test_an_answer_is_offered_anew_when_what_it_lacked_is_ready(project: Project) -> None:
    turn = waiting(project, "a.pdf", "b.pdf", "c.pdf")
    assert (offer_for(turn).line, offer_for(turn).waits) == ("", True)
    assert "every 3s" in render_turn(turn.pk)
    Document.objects.filter(name__in=["a.pdf", "b.pdf"]).update(state=Document.State.READY)
    html = render_turn(turn.pk)
    assert "Two more documents are ready." in html
    assert "Answer again" in html


def test_once_nothing_more_will_be_ready_the_page_asks_no_more(project: Project, client: Any) -> None:
    turn = waiting(project, "a.pdf", "b.pdf")
    client.force_login(project.owner)
    url = reverse("projects:offer", args=[turn.pk])
    assert client.get(url).status_code == 200
    Document.objects.filter(name="a.pdf").update(state=Document.State.WARNINGS)
    Document.objects.filter(name="b.pdf").update(state=Document.State.FAILED)
    last = client.get(url)
    assert last.status_code == 286
    assert "One more document is ready." in last.content.decode()
    assert "hx-get" not in last.content.decode()


def test_nothing_is_offered_for_a_document_of_the_same_name_elsewhere(project: Project) -> None:
    turn = waiting(project, "a.pdf")
    other = Project.objects.create(owner_id=project.owner_id, name="House")
    add_read(other, "a.txt", "Something.")
    Document.objects.filter(project=other).update(name="a.pdf")
    assert offer_for(turn).line == ""


def test_nothing_is_offered_for_a_question_that_was_asked_again_since(project: Project) -> None:
    turn = waiting(project, "a.pdf")
    Document.objects.filter(name="a.pdf").update(state=Document.State.READY)
    assert offer_for(turn).line
    Turn.objects.create(conversation=turn.conversation, question=QUESTION)
    assert offer_for(turn).line == ""
