"""Tests of asking a question in other words, of answering once more, and of what these have replaced."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from asgiref.sync import ThreadSensitiveContext
from django.test import AsyncClient
from django.urls import reverse

from inference.fake import FakeAnswer, FakeEngine
from projects.answering import runs
from projects.answering.turns import Wishes
from projects.asking import QuestionRefused, ask_and_start
from projects.conversations.replacing import ask_instead
from projects.models import Conversation, Project, Turn
from tests.projects.factories import add_read, make_project

stored = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project() -> Project:
    project = make_project()
    add_read(project, "lease.txt", "The rent is 900 euros a month. The deposit is 1,800 euros.")
    return project


@pytest.fixture
def conversation(project: Project) -> Conversation:
    conversation = project.conversations.create(title="What is the rent?")
    for question in ("What is the rent?", "And the deposit?", "Who signed?"):
        Turn.objects.create(
            conversation=conversation, question=question, answer=f"{question[:-1]}: yes.", state=Turn.State.DONE
        )
    return conversation


@pytest.fixture
def page(project: Project, async_client: AsyncClient) -> AsyncClient:
    async_client.force_login(project.owner)
    return async_client


async def visit(page: AsyncClient, name: str, turn: Turn, data: dict[str, str] | None = None) -> Any:
    url = reverse(f"projects:{name}", args=[turn.pk])
    async with ThreadSensitiveContext():
        return await (page.get(url) if data is None else page.post(url, data))


async def ended(turn: Turn) -> Turn:
    async for _ in runs.follow(turn.pk):
        pass
    await turn.arefresh_from_db()
    return turn


def thread(conversation: Conversation) -> list[str]:
    return list(conversation.turns.order_by("pk").values_list("question", flat=True))


@stored
def test_another_question_takes_the_place_of_one_and_of_all_after_it(conversation: Conversation) -> None:
    first, second, third = conversation.turns.order_by("pk")
    fresh = ask_instead(second, " And the garage? ")
    assert thread(conversation) == ["What is the rent?", "And the garage?"]
    assert list(fresh.replaces.order_by("pk")) == [second, third]
    assert first.replaced_by is None
    assert conversation.all_turns.count() == 4


@stored
def test_what_was_set_aside_goes_along_when_its_place_is_taken_again(conversation: Conversation) -> None:
    first, second, third = conversation.turns.order_by("pk")
    garage = ask_instead(second, "And the garage?")
    last = ask_instead(first, "What does it cost?")
    assert thread(conversation) == ["What does it cost?"]
    assert list(last.replaces.order_by("pk")) == [first, second, third, garage]
    again = ask_instead(last, "What does it cost a year?", Wishes(fresh=True))
    assert again.replaces.count() == 5
    assert again.fresh


@stored
def test_a_turn_that_was_set_aside_cannot_be_asked_anew(conversation: Conversation) -> None:
    first = conversation.turns.order_by("pk")[0]
    ask_instead(first, "What does it cost?")
    with pytest.raises(QuestionRefused, match="meanwhile"):
        ask_instead(first, "What now?")
    assert thread(conversation) == ["What does it cost?"]


@stored
@pytest.mark.parametrize("question", ["  ", "x" * 4001], ids=["empty", "too long"])
def test_a_question_that_cannot_be_asked_sets_nothing_aside(conversation: Conversation, question: str) -> None:
    with pytest.raises(QuestionRefused):
        ask_instead(conversation.turns.order_by("pk")[0], question)
    assert len(thread(conversation)) == 3


@stored
@pytest.mark.parametrize(("by", "title"), [("question", "New?"), ("model", "New?"), ("person", "Mine")])
def test_the_title_follows_the_first_question_unless_a_person_gave_it(
    conversation: Conversation, by: str, title: str
) -> None:
    Conversation.objects.update(title="Mine", titled_by=by)
    first, second, _ = conversation.turns.order_by("pk")
    ask_instead(second, "Another?")
    conversation.refresh_from_db()
    assert conversation.title == "Mine"
    ask_instead(first, "New?")
    conversation.refresh_from_db()
    assert conversation.title == title


@stored
async def test_the_form_warns_of_what_will_leave_the_conversation(
    page: AsyncClient, conversation: Conversation
) -> None:
    first, _, third = [turn async for turn in conversation.turns.order_by("pk")]
    form = (await visit(page, "edit", first)).content.decode()
    assert ">What is the rent?</textarea>" in form
    assert "This answer and the 2 questions after it will leave the conversation." in form
    assert "This answer will leave the conversation. It is kept" in (await visit(page, "edit", third)).content.decode()


@stored
async def test_a_changed_question_is_answered_and_what_was_there_can_be_read(
    page: AsyncClient, conversation: Conversation, fake_inference: FakeEngine
) -> None:
    fake_inference.default = "The deposit is 1,800 euros [1]."
    _, second, third = [turn async for turn in conversation.turns.order_by("pk")]
    response = await visit(page, "edit", second, {"question": "What is the deposit?"})
    fresh = await ended(await conversation.turns.alatest("pk"))
    where = reverse("projects:conversation", args=[conversation.project_id, conversation.pk])
    assert response["Location"] == f"{where}#turn-{fresh.pk}"
    assert (fresh.state, fresh.question) == (Turn.State.DONE, "What is the deposit?")

    html = (await page.get(where)).content.decode()
    assert f'id="turn-{second.pk}"' not in html
    assert f'href="{reverse("projects:earlier", args=[fresh.pk])}"' in html
    earlier = (await visit(page, "earlier", fresh)).content.decode()
    for turn in (second, third):
        assert turn.question in earlier
        assert turn.answer in earlier


@stored
async def test_what_was_set_aside_is_not_part_of_the_talk_any_more(
    page: AsyncClient, conversation: Conversation, fake_inference: FakeEngine
) -> None:
    first = await conversation.turns.afirst()
    assert first
    await Turn.objects.filter(pk=first.pk).aupdate(answer="A word of before.")
    await visit(page, "edit", first, {"question": "What is the deposit?"})
    await ended(await conversation.turns.alatest("pk"))
    turn = await ask_and_start(conversation.project.owner, conversation.project, "And that?", conversation.pk)
    await ended(turn)
    assert "A word of before." not in str(fake_inference.requests)


@stored
async def test_a_refused_change_keeps_what_was_typed(page: AsyncClient, conversation: Conversation) -> None:
    first = await conversation.turns.afirst()
    assert first
    response = await visit(page, "edit", first, {"question": "<b>" + "x" * 4000})
    assert response.status_code == 422
    assert "4,000 is the most" in response.content.decode()
    assert "&lt;b&gt;xxx" in response.content.decode()


@stored
async def test_answering_once_more_makes_the_answer_anew_the_same_way(
    page: AsyncClient, conversation: Conversation, fake_inference: FakeEngine
) -> None:
    last = await conversation.turns.alatest("pk")
    await Turn.objects.filter(pk=last.pk).aupdate(wanted_lane="passages")
    await visit(page, "regenerate", last, {})
    fresh = await ended(await conversation.turns.alatest("pk"))
    assert (fresh.question, fresh.fresh, fresh.wanted_lane) == (last.question, True, "passages")
    assert [turn.pk async for turn in fresh.replaces.all()] == [last.pk]
    again = await visit(page, "regenerate", last, {})  # as a tab would that does not know yet
    assert again["Location"] == reverse("projects:conversation", args=[conversation.project_id, conversation.pk])
    assert await conversation.turns.acount() == 3


@stored
async def test_an_answer_that_is_not_the_last_is_made_anew_after_a_warning_only(
    page: AsyncClient, conversation: Conversation, fake_inference: FakeEngine
) -> None:
    first = await conversation.turns.order_by("pk").afirst()
    assert first
    response = await visit(page, "regenerate", first, {})
    assert response["Location"] == reverse("projects:edit", args=[first.pk])
    assert await conversation.all_turns.acount() == 3
    await Turn.objects.filter(pk=first.pk).aupdate(question="What is\nthe rent?")
    await visit(page, "edit", first, {"question": "What is\r\nthe rent? "})
    fresh = await ended(await conversation.turns.aget())
    assert (fresh.question, fresh.fresh) == ("What is\nthe rent?", True)


@stored
async def test_an_answer_under_way_is_stopped_when_its_question_is_changed(
    page: AsyncClient, conversation: Conversation, fake_inference: FakeEngine, gate: threading.Event
) -> None:
    fake_inference.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    turn = await ask_and_start(conversation.project.owner, conversation.project, "Rent?", conversation.pk)
    async for event in runs.follow(turn.pk):
        if getattr(event, "text", ""):
            break
    await visit(page, "edit", turn, {"question": "What is the rent a year?"})
    await turn.arefresh_from_db()
    assert (turn.state, turn.answer) == (Turn.State.STOPPED, "Nine")
    assert (await ended(await conversation.turns.alatest("pk"))).state == Turn.State.DONE
