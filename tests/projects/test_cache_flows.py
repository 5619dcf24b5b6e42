"""The exact cache at work: the same question over the same documents is answered at once, over others never."""

from __future__ import annotations

import time
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from inference.fake import FakeAnswer, FakeEngine, broken
from projects.answering import cache
from projects.answering.events import Ended, Stage, Text
from projects.answering.pipeline import answer
from projects.answering.thread import leaned_on
from projects.answering.turns import Outcome, Wishes, open_turn
from projects.intake.service import remove_document
from projects.models import Conversation, Document, Project, Turn
from study.keys import Learner
from study.models import Digest
from study.passports import service as passports
from study.passports.values import Kind
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db(transaction=True)

RENT = "The monthly rent is 900 euros."
QUESTION = "How much is the monthly rent?"


@pytest.fixture
def project(fake_inference: FakeEngine) -> Project:
    """A project with a lease; the model says what the rent is."""
    fake_inference.default = "The monthly rent is 900 euros [1]."
    project = make_project()
    add_read(project, "lease.txt", RENT)
    return project


async def put(
    project: Project, question: str = QUESTION, conversation: Conversation | None = None, **wishes: Any
) -> Turn:
    """Ask in a conversation, a new one if none is given, and return the turn as stored."""
    conversation = conversation or await Conversation.objects.acreate(project=project)
    turn = await sync_to_async(open_turn)(conversation, question, Wishes(**wishes))
    shown = [event async for event in answer(turn.pk)]
    await turn.arefresh_from_db()
    assert isinstance(shown[-1], Ended)
    if turn.from_cache:
        assert "".join(event.text for event in shown if isinstance(event, Text)) == turn.answer
    return turn


async def test_asked_again_it_is_answered_at_once_with_its_citations(
    project: Project, fake_inference: FakeEngine
) -> None:
    first = await put(project)
    asked = len(fake_inference.requests)
    began = time.monotonic()
    second = await put(project, "how much is the  monthly rent")
    took = time.monotonic() - began
    assert len(fake_inference.requests) == asked
    assert (second.state, second.answer, second.lane) == ("done", first.answer, first.lane)
    assert (second.from_cache, second.lane_reason) == (True, "Answered before, documents unchanged.")
    assert (second.prompt_tokens, second.read_tokens, second.model) == (0, 0, "fake-model")
    assert second.coverage == {"ready": 1, "total": 1, "waiting": []}
    quotes = [[c.quote async for c in turn.citations.all()] for turn in (first, second)]
    assert quotes[0] == quotes[1] != []
    assert second.prompt == []
    assert took < 1.0  # generous: a machine under load; what it takes is some 20 ms


async def test_an_answer_from_before_serves_a_third_time_when_the_first_conversation_is_gone(
    project: Project, fake_inference: FakeEngine
) -> None:
    first = await put(project)
    await put(project)
    await Conversation.objects.filter(pk=first.conversation_id).adelete()
    assert (await put(project)).from_cache


async def test_asked_afresh_the_model_is_asked_and_its_answer_is_the_one_that_serves(
    project: Project, fake_inference: FakeEngine
) -> None:
    await put(project)
    fake_inference.default = "900 euros is the monthly rent [1]."
    assert not (await put(project, fresh=True)).from_cache
    third = await put(project)
    assert third.from_cache
    assert "900 euros is the monthly rent" in third.answer


async def test_the_answer_of_another_project_never_serves(project: Project, fake_inference: FakeEngine) -> None:
    await put(project)
    other = await sync_to_async(make_project)("House")
    await sync_to_async(add_read)(other, "lease.txt", RENT)
    assert not (await put(other)).from_cache


async def test_another_lane_is_another_answer(project: Project, fake_inference: FakeEngine) -> None:
    await put(project)
    assert not (await put(project, lane="passages")).from_cache


async def test_another_document_makes_the_model_be_asked_again(project: Project, fake_inference: FakeEngine) -> None:
    await put(project)
    await sync_to_async(add_read)(project, "letter.txt", "From May the rent is 950 euros.")
    assert not (await put(project)).from_cache


async def test_the_words_of_a_removed_document_are_served_no_more(project: Project, fake_inference: FakeEngine) -> None:
    await put(project)
    await sync_to_async(add_read)(project, "letter.txt", "A letter about the garden.")
    await put(project)
    lease = await Document.objects.aget(name="lease.txt")
    await sync_to_async(remove_document)(lease)
    fake_inference.default = "The documents do not say."
    turn = await put(project)
    assert not turn.from_cache
    assert "900" not in turn.answer


async def test_a_corrected_passport_makes_the_model_be_asked_again(
    project: Project, fake_inference: FakeEngine
) -> None:
    await put(project)
    lease = await Document.objects.aget(name="lease.txt")
    await sync_to_async(passports.correct)(lease.pk, Kind.TYPE, "contract")
    assert not (await put(project)).from_cache


async def test_a_digest_that_has_come_makes_the_model_be_asked_again(
    project: Project, fake_inference: FakeEngine
) -> None:
    await put(project)
    await Digest.objects.acreate(
        project=project, model_key="fake-key", prompt_version="1", key="k", level="full", entries=[]
    )
    assert not (await put(project)).from_cache


async def test_another_model_answers_for_itself(project: Project, fake_inference: FakeEngine) -> None:
    await put(project)
    fake_inference.model_key = "another model"
    assert not (await put(project)).from_cache


async def test_a_short_question_asked_twice_in_a_thread_leans_on_what_it_leaned_on_the_first_time(
    project: Project, fake_inference: FakeEngine
) -> None:
    thread = await Conversation.objects.acreate(project=project)
    await put(project, "Who rents the flat in Elm Street from Otto?", thread)
    first = await put(project, "For how much?", thread)
    await put(project, "for how much", thread, lane="passages")
    again = await put(project, "For how much?", thread)
    assert [turn.question for turn in await sync_to_async(leaned_on)(again)] == [
        "Who rents the flat in Elm Street from Otto?"
    ]
    assert (first.from_cache, again.from_cache) == (False, True)


async def test_a_question_that_leans_on_another_answer_is_another_question(
    project: Project, fake_inference: FakeEngine
) -> None:
    flat, house = [await Conversation.objects.acreate(project=project) for _ in range(2)]
    await put(project, "Who rents the flat in Elm Street from Otto?", flat)
    await put(project, "Is it 900 euros a month?", flat)
    await put(project, "What is said of a garden and a cellar?", house)
    assert not (await put(project, "Is it 900 euros a month?", house)).from_cache


@pytest.mark.parametrize(
    ("state", "finish_reason"),
    [("failed", ""), ("stopped", ""), ("interrupted", ""), ("done", "length")],
    ids=["failed", "stopped", "interrupted", "cut off"],
)
async def test_what_was_not_answered_to_its_end_serves_nobody(
    project: Project, fake_inference: FakeEngine, state: str, finish_reason: str
) -> None:
    turn = await put(project)
    outcome = Outcome(Turn.State(state), answer="The rent is", finish_reason=finish_reason)
    ticket = cache.Ticket(turn.pk, Learner("fake-key", 4096), turn.cache_key)
    assert (await sync_to_async(cache.kept)(outcome, ticket)).cache_key == ""
    whole = Outcome(Turn.State.DONE, answer="The rent is 900 euros.", finish_reason="stop")
    assert (await sync_to_async(cache.kept)(whole, ticket)).cache_key == turn.cache_key != ""


async def test_after_a_failure_the_model_is_asked_again(project: Project, fake_inference: FakeEngine) -> None:
    fake_inference.answers.append(broken())
    assert (await put(project)).state == "failed"
    turn = await put(project)
    assert (turn.state, turn.from_cache) == ("done", False)


async def test_an_answer_during_which_a_document_came_is_not_kept(
    project: Project, fake_inference: FakeEngine, gate: Any
) -> None:
    fake_inference.answers.append(FakeAnswer("The monthly rent is 900 euros [1].", gate=gate))
    conversation = await Conversation.objects.acreate(project=project)
    turn = await sync_to_async(open_turn)(conversation, QUESTION)
    async for event in answer(turn.pk):
        if event == Stage("answering"):
            await sync_to_async(add_read)(project, "letter.txt", "From May the rent is 950 euros.")
            gate.set()
    await turn.arefresh_from_db()
    assert (turn.state, turn.cache_key) == ("done", "")


async def test_without_a_model_nothing_is_looked_up(project: Project, fake_inference: FakeEngine) -> None:
    turn = await put(project)
    assert await sync_to_async(cache.recall)(turn.pk, None) is None
