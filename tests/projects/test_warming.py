"""Warming up while somebody types: the digest is at hand when the question comes, and nothing waits for it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncGenerator

import pytest
from asgiref.sync import sync_to_async

from inference.contracts import ChatRequest, EngineState, Event, Progress
from inference.errors import ServiceBusy
from inference.fake import FakeAnswer, FakeEngine
from inference.gateway import Gateway
from projects.answering import warming
from projects.answering.pipeline import answer
from projects.answering.turns import open_turn
from projects.models import Conversation, Project, Turn
from study.keys import Learner
from study.service import digest_for, document_changed
from tests.projects.factories import add_read, make_project
from tests.study.factories import a_reader

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def project(fake_inference: FakeEngine) -> Project:
    """Two documents, read ahead; in the slots there is nothing yet."""
    project = make_project()
    for name, text in (("lease.txt", "Lease of Anna Weber."), ("letter.txt", "Letter about water damage.")):
        document_changed(add_read(project, name, text).pk)
    fake_inference.answers += ["A lease of Anna Weber.", "A letter about water damage."]
    fake_inference.default = "A lease [1] and a letter [2]."
    a_reader().run()
    fake_inference.requests.clear()
    fake_inference.default = FakeAnswer("A word.", reused=10_000)
    warming.give_way()
    return project


async def warmed(project: Project, conversation: Conversation | None = None) -> None:
    """Say that somebody types, and wait until nothing more happens for it."""
    warming.warm_up(project.pk, conversation.pk if conversation else None)
    await asyncio.gather(*warming._warming.values(), return_exceptions=True)


async def test_the_digest_is_taken_up_into_the_slot_of_the_conversation(
    project: Project, fake_inference: FakeEngine
) -> None:
    conversation = await Conversation.objects.acreate(project=project)
    await warmed(project, conversation)
    (request,) = fake_inference.requests
    assert (request.conversation, request.max_tokens) == (f"conversation-{conversation.pk}", 1)
    digest = await sync_to_async(digest_for)(project.pk, Learner("fake-key", 4096))
    assert digest is not None
    asked = digest.messages("What are these?")
    assert request.messages[0] == asked[0]
    assert request.messages[1].parts[:-1] == asked[1].parts[:-1]


async def test_it_happens_once_however_much_is_typed(project: Project, fake_inference: FakeEngine) -> None:
    for _ in range(3):
        await warmed(project)
    assert len(fake_inference.requests) == 1


async def test_after_a_question_it_happens_again(project: Project, fake_inference: FakeEngine) -> None:
    await warmed(project)
    warming.give_way()
    await warmed(project)
    assert len(fake_inference.requests) == 2


async def test_a_question_ends_it(project: Project, fake_inference: FakeEngine, gate: threading.Event) -> None:
    fake_inference.answers.append(FakeAnswer("A word and more.", gate=gate, reused=10_000))
    warming.warm_up(project.pk, None)
    while not fake_inference.requests:  # noqa: ASYNC110 - it comes in another thread
        await asyncio.sleep(0.01)
    warming.give_way()
    await asyncio.gather(*warming._warming.values(), return_exceptions=True)
    assert await asyncio.to_thread(fake_inference.tickets[-1].cancelled.wait, 10)


async def test_nothing_is_read_for_it_that_is_not_kept(
    project: Project, fake_inference: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the state is gone from the disk the engine would read the digest anew: the request is taken back."""
    went_on: list[bool] = []

    async def stream(self: Gateway, request: ChatRequest) -> AsyncGenerator[Event, None]:
        yield Progress(0, 0)
        yield Progress(8, 900)
        went_on.append(True)

    monkeypatch.setattr(Gateway, "stream", stream)
    await warmed(project)
    assert went_on == []


async def test_while_a_question_is_answered_nothing_is_taken_up(project: Project, fake_inference: FakeEngine) -> None:
    conversation = await Conversation.objects.acreate(project=project)
    await Turn.objects.acreate(conversation=conversation, question="Why?", state=Turn.State.ANSWERING)
    await warmed(project, conversation)
    assert fake_inference.requests == []


async def test_a_conversation_about_one_document_keeps_that_in_its_slot(
    project: Project, fake_inference: FakeEngine
) -> None:
    conversation = await Conversation.objects.acreate(project=project)
    await Turn.objects.acreate(conversation=conversation, question="Why?", state=Turn.State.DONE, lane="deep")
    await warmed(project, conversation)
    assert fake_inference.requests == []
    await Turn.objects.acreate(conversation=conversation, question="What?", state=Turn.State.DONE, lane="digest")
    await warmed(project, conversation)
    assert len(fake_inference.requests) == 1


async def test_without_a_digest_or_a_model_nothing_is_asked(project: Project, fake_inference: FakeEngine) -> None:
    other = await sync_to_async(make_project)("House")
    await warmed(other)
    fake_inference.state = EngineState.LOADING
    await warmed(project)
    assert fake_inference.requests == []


async def test_an_engine_that_refuses_is_no_trouble(
    project: Project, fake_inference: FakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    fake_inference.refuse = ServiceBusy()
    with caplog.at_level("INFO"):
        await warmed(project)
    assert f"not warmed up for project {project.pk}: {ServiceBusy.code}" in caplog.text
    assert "Traceback" not in caplog.text
    fake_inference.refuse = None
    await warmed(project)
    assert len(fake_inference.requests) == 1


async def test_asking_right_after_typing_is_answered(project: Project, fake_inference: FakeEngine) -> None:
    conversation = await Conversation.objects.acreate(project=project)
    warming.warm_up(project.pk, conversation.pk)
    turn = await sync_to_async(open_turn)(conversation, "Give me an overview, please")
    warming.give_way()
    async for _ in answer(turn.pk):
        pass
    await turn.arefresh_from_db()
    assert turn.state == "done"
