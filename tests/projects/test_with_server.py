"""Reading ahead and answering with an OpenAI-compatible server in place of the local model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from pytest_django import Settings

from inference.external import choice, connection
from inference.external.choice import Server
from inference.external.report import Report
from projects.answering.events import Text
from projects.answering.pipeline import answer
from projects.answering.turns import Wishes, open_turn
from projects.answering.warming import prefix_for, warm_up
from projects.conversations import titles
from projects.models import Conversation, Project, Turn
from study.keys import learner_of
from study.models import DocumentSummary, StudyTask
from study.service import document_changed
from tests.inference.openai_like import OpenAILike, serving
from tests.projects.factories import add_read, make_project
from tests.study.factories import a_reader

pytestmark = pytest.mark.django_db(transaction=True)

LEASE = "Lease between Anna Weber and Otto Braun. The monthly rent is 900 euros."
LETTER = "Letter of Dana Gray to the Hill Insurance about water damage in the cellar. The claim number is HX-4711."


@pytest.fixture
def there(settings: Settings, tmp_path: Path) -> Iterator[OpenAILike]:
    """A server that gives no more than every server does: no chances, no usage, no counting."""
    settings.HOME, settings.SERVER_URL = tmp_path, ""
    connection.forget_learned()
    with serving(OpenAILike(default="A lease of Anna Weber.")) as served:
        choice.keep_draft(Server(served.url), Report())
        choice.use_draft(confirmed=False)
        yield served
    connection.forget_learned()


@pytest.fixture
def project(there: OpenAILike) -> Project:
    project = make_project()
    for name, text in (("lease.txt", LEASE), ("letter.txt", LETTER)):
        document_changed(add_read(project, name, text).pk)
    return project


@pytest.fixture
def conversation(project: Project, there: OpenAILike) -> Conversation:
    """Two documents, read ahead."""
    there.answers += ["A lease of Anna Weber.", "A letter about water damage."]
    there.default = "A lease [1] and a letter [2]."
    a_reader().run()
    there.requests.clear()
    return Conversation.objects.create(project=project)


async def put(conversation: Conversation, question: str, **wishes: Any) -> Turn:
    turn = await sync_to_async(open_turn)(conversation, question, Wishes(**wishes))
    shown = "".join([event.text async for event in answer(turn.pk) if isinstance(event, Text)])
    assert shown
    return await sync_to_async(Turn.objects.get)(pk=turn.pk)


def test_documents_are_read_ahead(conversation: Conversation) -> None:
    assert set(StudyTask.objects.values_list("state", flat=True)) == {StudyTask.State.DONE}
    assert sorted(DocumentSummary.objects.values_list("text", flat=True)) == [
        "A lease of Anna Weber.",
        "A letter about water damage.",
    ]


async def test_an_opening_question_is_answered_from_what_was_prepared(
    conversation: Conversation, there: OpenAILike
) -> None:
    turn = await put(conversation, "What are these documents about?")
    assert (turn.state, turn.lane, turn.from_cache) == ("done", "digest", True)
    assert there.asked == []


async def test_a_fact_comes_from_passages_since_nothing_is_remembered_there(
    conversation: Conversation, there: OpenAILike
) -> None:
    there.answers.append("“The monthly rent is 900 euros.”\nThe rent is 900 euros a month.")
    there.usage = {"prompt_tokens": 210, "completion_tokens": 14, "prompt_tokens_details": {"cached_tokens": 60}}
    turn = await put(conversation, "How much is the monthly rent?", lane="passages")
    assert (turn.state, turn.lane) == ("done", "passages")
    assert "900 euros" in turn.answer
    assert [(c.document.name, c.quote) async for c in turn.citations.select_related("document")] == [
        ("lease.txt", "The monthly rent is 900 euros.")
    ]
    assert (turn.prompt_tokens, turn.reused_tokens, turn.restored_tokens, turn.read_tokens) == (210, 60, 0, 150)
    assert turn.model == "large"


async def test_whole_texts_are_asked_when_that_is_wished(conversation: Conversation, there: OpenAILike) -> None:
    there.answers += ["“The monthly rent is 900 euros.”\nThe rent is 900 euros a month."]
    turn = await put(conversation, "How much is the monthly rent of Anna Weber?", lane="deep")
    assert (turn.state, turn.lane) == ("done", "deep")
    assert LEASE in there.asked[0]["messages"][-1]["content"]


async def test_which_documents_are_meant_is_told_by_plain_yes_and_no(
    conversation: Conversation, there: OpenAILike
) -> None:
    """Without probabilities each document stands or falls by the word: not all of them are taken for meant."""
    there.default = "“water damage in the cellar”"
    there.answers += ["No", "Yes"]
    turn = await put(conversation, "Which documents mention water damage?", lane="deep")
    assert turn.state == "done"
    named = [c.document.name async for c in turn.citations.select_related("document")]
    assert named == ["letter.txt"]


async def test_a_server_that_goes_away_is_said_and_nothing_is_lost(
    conversation: Conversation, there: OpenAILike
) -> None:
    there.breaks = True
    turn = await put_failing(conversation, "How much is the deposit?")
    assert (turn.state, turn.error_code) == ("failed", "lost")
    assert "broke in the middle" in turn.error


async def put_failing(conversation: Conversation, question: str) -> Turn:
    turn = await sync_to_async(open_turn)(conversation, question, Wishes(lane="passages"))
    _ = [event async for event in answer(turn.pk)]
    return await sync_to_async(Turn.objects.get)(pk=turn.pk)


async def test_nothing_is_read_there_only_because_somebody_types(conversation: Conversation, there: OpenAILike) -> None:
    from inference.gateway import gateway
    from projects.answering import warming

    learner = learner_of(await gateway().health())
    assert learner is not None
    assert await sync_to_async(prefix_for)(conversation.project_id, None, learner) is not None
    warm_up(conversation.project_id, None)
    for task in list(warming._warming.values()):
        await task
    assert there.asked == []


def test_a_title_is_asked_for_in_the_same_way(there: OpenAILike) -> None:
    from inference.gateway import gateway

    there.answers.append("Monthly rent")

    async def ask() -> str:
        return (await gateway().complete(titles.request_for("How much is the rent?", "900 euros."))).text

    assert async_to_sync(ask)() == "Monthly rent"
    assert there.asked[0]["stop"] == ["\n"]
