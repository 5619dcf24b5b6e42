"""Tests of the titles that the model gives: when it is asked, what is taken of its reply, what is never overwritten."""

from __future__ import annotations

import asyncio
import threading

import pytest
from pytest_django import Settings

from inference.contracts import EngineState, PoolName
from inference.errors import EngineFault
from inference.fake import FakeAnswer, FakeEngine
from projects.answering import runs
from projects.asking import ask_and_start
from projects.conversations import titles
from projects.conversations.titles import LONGEST, tidy
from projects.models import Conversation, Project, Turn
from study.presence import Presence
from tests.projects.factories import add_read, make_project

stored = pytest.mark.django_db(transaction=True)

ABOUT = "What is the rent of flat 12?\nIt is 900 euros."


@pytest.mark.parametrize(
    ("reply", "title"),
    [
        ("Rent of flat 12", "Rent of flat 12"),
        ('  "Rent of flat 12."\n\nIt is about …', "Rent of flat 12"),
        ("**Title: Rent of the flat**", "Rent of the flat"),
        ("Titel: Miete der Wohnung", "Miete der Wohnung"),
        ("租金", "租金"),
        ("", ""),
        ("…", ""),
        ("Rent of flat 13", ""),
        ("Rent since 2019", ""),
        ("x" * (LONGEST + 1), ""),
    ],
)
def test_of_a_reply_its_first_line_is_taken_if_it_can_be_a_title(reply: str, title: str) -> None:
    assert tidy(reply, ABOUT) == title


@pytest.fixture
def project(settings: Settings) -> Project:
    settings.TITLES_BY_MODEL = True
    project = make_project()
    add_read(project, "lease.txt", "The rent is 900 euros a month.")
    return project


@pytest.fixture
def fake(fake_inference: FakeEngine) -> FakeEngine:
    fake_inference.default = "It is 900 euros [1]."
    return fake_inference


async def settled() -> None:
    """Wait until everything about titles has ended."""
    while titles._waiting:
        await asyncio.wait(set(titles._waiting))


async def asked(project: Project, question: str, conversation: int | None = None) -> Turn:
    turn = await ask_and_start(project.owner, project, question, conversation)
    async for _ in runs.follow(turn.pk):
        pass
    return turn


async def title_of(turn: Turn) -> tuple[str, str]:
    conversation = await Conversation.objects.aget(pk=turn.conversation_id)
    return conversation.title, conversation.titled_by


def calls(fake: FakeEngine, pool: PoolName = PoolName.SERVICE) -> int:
    return sum(request.pool is pool for request in fake.requests)


async def called(fake: FakeEngine, pool: PoolName) -> None:
    """Wait until a request has come to a pool; the fake engine runs in threads and says nothing."""
    while not calls(fake, pool):  # noqa: ASYNC110
        await asyncio.sleep(0)


@stored
async def test_the_first_answer_is_followed_by_a_title_from_the_service_pool(
    project: Project, fake: FakeEngine
) -> None:
    fake.answers.extend(["It is 900 euros [1].", "Rent of the flat"])
    turn = await asked(project, "What is the rent?")
    assert await title_of(turn) == ("What is the rent?", "question")
    updated = (await Conversation.objects.aget()).updated
    await settled()
    assert await title_of(turn) == ("Rent of the flat", "model")
    assert (await Conversation.objects.aget()).updated == updated
    assert [request.pool for request in fake.requests] == [PoolName.CONVERSATION, PoolName.SERVICE]
    assert fake.requests[1].max_tokens <= titles.MAX_TOKENS


@stored
async def test_a_conversation_that_has_a_title_is_not_given_another(project: Project, fake: FakeEngine) -> None:
    fake.answers.extend(["It is 900 euros [1].", "Rent of the flat"])
    turn = await asked(project, "What is the rent?")
    await settled()
    await asked(project, "What is the deposit?", turn.conversation_id)
    await settled()
    assert calls(fake) == 1
    assert await title_of(turn) == ("Rent of the flat", "model")


@stored
async def test_a_title_that_a_person_gives_meanwhile_stays(
    project: Project, fake: FakeEngine, gate: threading.Event
) -> None:
    fake.answers.extend(["It is 900 euros [1].", FakeAnswer("Rent of the flat", gate=gate)])
    turn = await asked(project, "What is the rent?")
    await called(fake, PoolName.SERVICE)
    await Conversation.objects.aupdate(title="Mine", titled_by=Conversation.TitledBy.PERSON)
    gate.set()
    await settled()
    assert await title_of(turn) == ("Mine", "person")


@stored
async def test_the_next_question_ends_a_call_under_way(
    project: Project, fake: FakeEngine, gate: threading.Event
) -> None:
    fake.answers.extend(["It is 900 euros [1].", FakeAnswer("Rent of the flat", gate=gate)])
    turn = await asked(project, "What is the rent?")
    await called(fake, PoolName.SERVICE)
    fake.answers.extend(["It is 900 euros [1].", "Rent of a flat"])
    await asked(project, "How high is the rent?", turn.conversation_id)
    assert await asyncio.to_thread(fake.tickets[1].cancelled.wait, 10)
    await settled()
    assert await title_of(turn) == ("Rent of a flat", "model")


@stored
async def test_no_title_while_another_question_is_open(
    project: Project, fake: FakeEngine, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(titles, "LOOKS", 1)
    fake.answers.append(FakeAnswer("It is 900 euros.", gate=gate))
    other = await ask_and_start(project.owner, project, "What is the deposit?")
    await called(fake, PoolName.CONVERSATION)
    turn = await asked(project, "What is the rent?")
    while len(titles._waiting) > 1:
        await asyncio.wait(set(titles._waiting), return_when=asyncio.FIRST_COMPLETED)
    assert not calls(fake)
    assert await title_of(turn) == ("What is the rent?", "question")
    fake.answers.append("Deposit of the flat")
    gate.set()
    await settled()
    assert await title_of(other) == ("Deposit of the flat", "model")


@stored
async def test_no_title_while_somebody_types(
    project: Project, fake: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    typing = iter([True, True, False])
    monkeypatch.setattr(titles, "LOOK_EVERY_S", 0)
    monkeypatch.setattr(titles, "is_present", lambda kind: kind is Presence.TYPING and next(typing))
    fake.answers.extend(["It is 900 euros [1].", "Rent of the flat"])
    turn = await asked(project, "What is the rent?")
    await settled()
    assert list(typing) == []
    assert await title_of(turn) == ("Rent of the flat", "model")


@stored
@pytest.mark.parametrize("reply", [FakeAnswer("one two", fail=EngineFault(), fail_after=1), "…"], ids=["fails", "none"])
async def test_without_a_title_the_first_words_of_the_question_stay(
    project: Project, fake: FakeEngine, reply: str | FakeAnswer
) -> None:
    fake.answers.extend(["It is 900 euros [1].", reply])
    turn = await asked(project, "What is the rent?")
    await settled()
    assert await title_of(turn) == ("What is the rent?", "question")


@stored
async def test_an_answer_that_failed_and_a_model_that_is_gone_are_asked_for_no_title(
    project: Project, fake: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(titles, "LOOKS", 1)
    fake.answers.append(FakeAnswer("one two", fail=EngineFault(), fail_after=1))
    turn = await asked(project, "What is the rent?")
    await settled()
    assert not calls(fake)

    await Turn.objects.filter(pk=turn.pk).aupdate(state=Turn.State.DONE, answer="It is 900 euros.")
    fake.state = EngineState.LOADING
    titles.title_after(turn.pk)
    await settled()
    assert not calls(fake)


@stored
async def test_the_setting_keeps_the_model_out_of_it(project: Project, fake: FakeEngine, settings: Settings) -> None:
    settings.TITLES_BY_MODEL = False
    await asked(project, "What is the rent?")
    await settled()
    assert not calls(fake)
