"""Answering: a stored question becomes a stored answer with citations, or a failure that says what to do."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import OperationalError, connection

from inference.contracts import (
    ChatRequest,
    Delta,
    EngineState,
    Event,
    Finished,
    FinishReason,
    Health,
    Progress,
    Timings,
)
from inference.fake import FakeAnswer, FakeEngine, broken
from projects.answering import pipeline, planning, runs, talk
from projects.answering.events import AnswerEvent, Ended, Reading, Stage, Text
from projects.answering.pipeline import answer
from projects.answering.prompt import PROMPT_VERSION
from projects.answering.speed import ReadingSpeed
from projects.answering.turns import Outcome, finish_turn, open_turn, recover_interrupted
from projects.intake.service import remove_document
from projects.models import Conversation, Document, Turn
from projects.presentation.turns import render_turn
from projects.presentation.words import cut_off_line
from projects.retrieval.search import find
from tests.projects.factories import add_read, make_project

RENT = "The monthly rent is 900 euros."

pytestmark = pytest.mark.django_db(transaction=True)


def ask(question: str = "How much is the rent?", *, lease: bool = True) -> Turn:
    """Return a waiting turn of a project with one lease."""
    project = make_project()
    if lease:
        add_read(project, "lease.txt", RENT)
    return open_turn(Conversation.objects.create(project=project), question)


def stored(turn: Turn) -> Turn:
    return Turn.objects.get(pk=turn.pk)


async def collect(events: AsyncIterator[AnswerEvent]) -> list[AnswerEvent]:
    return [event async for event in events]


def text_of(events: list[AnswerEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, Text))


async def test_an_answer_passes_its_stages_and_is_stored_with_its_citation(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append("The rent is 900 euros [1].")
    turn = await sync_to_async(ask)()

    events = await collect(answer(turn.pk))

    stages = [event.name for event in events if isinstance(event, Stage)]
    assert stages == ["searching", "waiting", "reading", "answering"]
    assert text_of(events) == "The rent is 900 euros [1]."
    assert events[-1] == Ended("done")
    turn = await sync_to_async(stored)(turn)
    assert (turn.answer, turn.lane, turn.model) == ("The rent is 900 euros. [1]", "deep", "fake-model")
    assert turn.coverage == {"ready": 1, "total": 1, "waiting": []}
    citation = await turn.citations.select_related("document").aget()
    assert (citation.number, citation.document.name, citation.quote) == (1, "lease.txt", RENT)


async def test_the_figures_of_a_turn_add_up(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append(FakeAnswer("The rent is 900 euros.", reused=20))
    turn = await sync_to_async(ask)()

    await collect(answer(turn.pk))

    turn = await sync_to_async(stored)(turn)
    assert turn.prompt_tokens == turn.restored_tokens + turn.reused_tokens + turn.read_tokens
    assert (turn.reused_tokens, turn.answer_tokens) == (20, 5)
    assert turn.ttft_s is not None
    assert turn.total_s is not None
    assert 0 < turn.ttft_s <= turn.total_s


async def test_the_prompt_that_was_sent_is_kept_with_the_turn(fake_inference: FakeEngine) -> None:
    turn = await sync_to_async(ask)()

    await collect(answer(turn.pk))

    sent = [{"role": message.role, "content": message.text} for message in fake_inference.requests[0].messages]
    assert (await sync_to_async(stored)(turn)).prompt == sent


async def test_documents_still_being_read_are_named_with_the_answer(fake_inference: FakeEngine) -> None:
    turn = await sync_to_async(ask)()
    project_id = turn.conversation.project_id
    await Document.objects.acreate(project_id=project_id, sha256="0" * 64, name="late.pdf", size=1)

    await collect(answer(turn.pk))

    assert (await sync_to_async(stored)(turn)).coverage == {"ready": 1, "total": 2, "waiting": ["late.pdf"]}


def model_sends(monkeypatch: pytest.MonkeyPatch, *events: Event) -> None:
    """Let the model's part of an answer be exactly these events."""

    class Scripted:
        async def health(self) -> Health:
            return Health(EngineState.READY, "scripted")

        async def stream(self, request: ChatRequest) -> AsyncIterator[Event]:
            for event in events:
                yield event

    monkeypatch.setattr(pipeline, "gateway", Scripted)
    monkeypatch.setattr(talk, "gateway", Scripted)


async def test_waiting_in_line_is_not_shown_as_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = await sync_to_async(ask)()
    end = Finished("stop", Timings())
    model_sends(monkeypatch, Progress(0, 0), Progress(0, 0), Progress(64, 256), Delta("900."), end)

    events = await collect(answer(turn.pk))

    assert events[:-1] == [
        Stage("searching"), Stage("waiting"), Stage("reading"), Reading(64, 256, None), Stage("answering"), Text("900.")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("reason", "line"),
    [
        ("stop", ""),
        ("length", "Cut off after 512 tokens, the most that one answer may have. Ask for what is missing."),
    ],
)
async def test_an_answer_that_was_cut_off_is_shown_to_be(
    monkeypatch: pytest.MonkeyPatch, reason: FinishReason, line: str
) -> None:
    turn = await sync_to_async(ask)()
    model_sends(monkeypatch, Delta("The rent is 900"), Finished(reason, Timings(generated=512)))

    await collect(answer(turn.pk))

    assert cut_off_line(await sync_to_async(stored)(turn)) == line
    assert ("Cut off after" in await sync_to_async(render_turn)(turn.pk)) == bool(line)


async def test_the_wording_of_the_prompt_is_stored_by_name(fake_inference: FakeEngine) -> None:
    turn = await sync_to_async(ask)()

    await collect(answer(turn.pk))

    assert (await sync_to_async(stored)(turn)).prompt_version == PROMPT_VERSION == "answers-3"


@pytest.mark.parametrize(("failures", "state"), [(1, "failed"), (2, "answering")])
async def test_an_end_that_cannot_be_stored_is_told_to_the_followers(
    fake_inference: FakeEngine, monkeypatch: pytest.MonkeyPatch, failures: int, state: str
) -> None:
    left = iter(range(failures))

    def failing(turn_id: int, outcome: Outcome) -> Ended:
        if next(left, None) is None:
            return finish_turn(turn_id, outcome)
        raise OperationalError("the disk is full")

    monkeypatch.setattr(pipeline, "finish_turn", failing)
    monkeypatch.setattr(runs, "finish_turn", failing)
    turn = await sync_to_async(ask)()
    runs.start(turn.pk)

    events = await collect(runs.follow(turn.pk))

    assert events[-1] == Ended("failed", "internal", runs.NOT_STORED, retry=True)
    assert (await sync_to_async(stored)(turn)).state == state


async def test_an_answer_without_a_word_is_a_failure(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append("")
    turn = await sync_to_async(ask)()

    events = await collect(answer(turn.pk))

    assert isinstance(events[-1], Ended)
    assert (events[-1].state, events[-1].error_code, events[-1].retry) == ("failed", "empty", True)


async def test_a_turn_that_is_closed_already_is_not_answered_again(fake_inference: FakeEngine) -> None:
    turn = await sync_to_async(ask)()
    await Turn.objects.filter(pk=turn.pk).aupdate(state=Turn.State.STOPPED)

    events = await collect(answer(turn.pk))

    assert events == [Stage("searching"), Ended("stopped", retry=True)]
    assert fake_inference.requests == []


async def test_a_document_removed_during_the_answer_leaves_an_answer_without_its_citation(
    fake_inference: FakeEngine, gate: threading.Event
) -> None:
    fake_inference.answers.append(FakeAnswer("It is 900 euros a month [1].", gate=gate))
    turn = await sync_to_async(ask)()

    async for event in answer(turn.pk):
        if isinstance(event, Text) and not gate.is_set():
            await sync_to_async(remove_document)(await Document.objects.aget())
            gate.set()

    turn = await sync_to_async(stored)(turn)
    assert (turn.state, turn.prompt, await turn.citations.acount()) == ("done", [], 0)


async def test_a_document_removed_while_the_prompt_is_made_leaves_none_of_its_text(
    fake_inference: FakeEngine, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_inference.answers.append(FakeAnswer("It is 900 euros.", gate=gate))
    turn = await sync_to_async(ask)()
    remover = threading.Thread(target=remove_and_close, args=[await Document.objects.aget(), gate])

    def found_then_removed(*args: Any, **options: Any) -> Any:
        found = find(*args, **options)
        remover.start()
        remover.join(0.3)  # it cannot end before us while we hold the database
        return found

    monkeypatch.setattr(planning, "find", found_then_removed)
    await collect(answer(turn.pk))
    await asyncio.to_thread(remover.join)

    assert not await Document.objects.aexists()
    assert (await sync_to_async(stored)(turn)).prompt == []


def remove_and_close(document: Document, gate: threading.Event) -> None:
    """Remove it as soon as the database lets us: in memory, where tests keep it, it refuses rather than waits."""
    while Document.objects.exists():
        with suppress(OperationalError):
            remove_document(document)
    connection.close()
    gate.set()  # the answer's end would be refused meanwhile


async def test_a_project_without_documents_is_told_so_without_asking_the_model(fake_inference: FakeEngine) -> None:
    turn = await sync_to_async(ask)(lease=False)

    events = await collect(answer(turn.pk))

    error = "This project has no documents yet. Add some, then ask again."
    assert events[-1] == Ended("failed", "nothing_ready", error, retry=True)
    assert fake_inference.requests == []


async def test_a_question_that_shares_no_word_with_the_documents_gets_their_beginnings(
    fake_inference: FakeEngine,
) -> None:
    turn = await sync_to_async(ask)("Wer bellt?")

    await collect(answer(turn.pk))

    assert RENT in fake_inference.requests[0].messages[1].text
    assert "beginnings" in (await sync_to_async(stored)(turn)).lane_reason


async def test_a_model_that_is_not_there_fails_the_turn_with_a_sentence() -> None:
    turn = await sync_to_async(ask)()

    events = await collect(answer(turn.pk))

    ended = events[-1]
    assert isinstance(ended, Ended)
    assert (ended.state, ended.error_code, ended.retry) == ("failed", "unavailable", True)
    assert (await sync_to_async(stored)(turn)).error == ended.error != ""


async def test_an_engine_that_fails_in_mid_answer_leaves_the_text_so_far(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append(broken())
    turn = await sync_to_async(ask)()

    events = await collect(answer(turn.pk))

    assert isinstance(events[-1], Ended)
    assert (events[-1].state, events[-1].error_code) == ("failed", "engine_fault")
    assert (await sync_to_async(stored)(turn)).answer == "one two three"


async def test_a_late_follower_gets_all_text_and_leaving_does_not_stop_the_answer(
    fake_inference: FakeEngine, gate: threading.Event
) -> None:
    fake_inference.answers.append(FakeAnswer("It is 900 euros.", gate=gate))
    turn = await sync_to_async(ask)()
    runs.start(turn.pk)
    async for event in runs.follow(turn.pk):
        if isinstance(event, Text):
            break

    late = runs.follow(turn.pk)
    assert await anext(late) == Stage("answering")
    assert await anext(late) == Text("It")
    gate.set()
    events = await collect(late)

    assert text_of(events) == " is 900 euros."
    assert events[-1] == Ended("done")


async def test_a_finished_turn_is_told_from_its_row(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append("The rent is 900 euros [1].")
    turn = await sync_to_async(ask)()
    runs.start(turn.pk)
    await collect(runs.follow(turn.pk))

    assert await collect(runs.follow(turn.pk)) == [Text("The rent is 900 euros. [1]"), Ended("done")]


async def test_stop_ends_the_engines_work_and_keeps_the_text(fake_inference: FakeEngine, gate: threading.Event) -> None:
    fake_inference.answers.append(FakeAnswer("It is 900 euros.", gate=gate))
    turn = await sync_to_async(ask)()
    runs.start(turn.pk)
    follower = runs.follow(turn.pk)
    async for event in follower:
        if isinstance(event, Text):
            break

    await runs.stop(turn.pk)

    assert isinstance((await collect(follower))[-1], Ended)
    turn = await sync_to_async(stored)(turn)
    assert (turn.state, turn.answer) == ("stopped", "It")
    assert await asyncio.to_thread(fake_inference.tickets[0].cancelled.wait, 5)


async def test_stopping_an_answer_that_has_just_been_started_closes_its_turn(fake_inference: FakeEngine) -> None:
    turn = await sync_to_async(ask)()
    runs.start(turn.pk)

    await runs.stop(turn.pk)

    assert (await sync_to_async(stored)(turn)).state == "stopped"


async def test_several_answers_run_at_once(fake_inference: FakeEngine) -> None:
    turns = [await sync_to_async(ask)(), await sync_to_async(other_turn)()]
    for turn in turns:
        runs.start(turn.pk)

    ends = [(await collect(runs.follow(turn.pk)))[-1] for turn in turns]

    assert ends == [Ended("done"), Ended("done")]


def other_turn() -> Turn:
    return open_turn(Conversation.objects.create(project=Conversation.objects.get().project), "And the deposit?")


async def test_no_transaction_is_open_while_tokens_flow(fake_inference: FakeEngine, gate: threading.Event) -> None:
    fake_inference.answers.append(FakeAnswer("It is 900 euros.", gate=gate))
    turn = await sync_to_async(ask)()

    async for event in answer(turn.pk):
        if isinstance(event, Text):
            assert not await sync_to_async(lambda: connection.in_atomic_block)()
            gate.set()


async def test_following_a_turn_of_a_dead_process_ends_with_a_sentence() -> None:
    turn = await sync_to_async(ask)()
    await Turn.objects.filter(pk=turn.pk).aupdate(owner="999999999:1", state=Turn.State.ANSWERING)

    (event,) = await collect(runs.follow(turn.pk))

    assert isinstance(event, Ended)
    assert (event.state, event.retry) == ("interrupted", True)


async def test_a_turn_that_nobody_started_does_not_keep_its_followers_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runs, "GRACE_S", 0.0)
    turn = await sync_to_async(ask)()

    (event,) = await collect(runs.follow(turn.pk))

    assert isinstance(event, Ended)
    assert event.state == "interrupted"


def test_a_turn_left_behind_by_a_dead_process_is_interrupted_and_a_live_one_is_not() -> None:
    left, live = ask(), other_turn()
    Turn.objects.filter(pk=left.pk).update(owner="999999999:1", state=Turn.State.ANSWERING)

    assert recover_interrupted() == 1

    assert (stored(left).state, stored(live).state) == ("interrupted", "waiting")
    assert "Ask again" in stored(left).error


def test_seconds_left_come_from_the_speed_of_this_reading_alone() -> None:
    speed = ReadingSpeed()

    assert speed.seconds_left(4_000, 5_000, now=10.0) is None  # remembered: read in no time
    assert speed.seconds_left(4_200, 5_000, now=12.0) == pytest.approx(8.0)
    assert speed.seconds_left(5_000, 5_000, now=20.0) == 0
