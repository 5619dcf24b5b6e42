"""Tests of the desk's websocket over the real service with a fake engine: what a page sees, frame by frame."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.routing import URLRouter
from channels.testing import WebsocketCommunicator
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.sessions.backends.db import SessionStore

from inference.errors import ServiceLost
from inference.fake import FakeAnswer, FakeEngine
from projects.answering import runs
from projects.answering.events import AnswerEvent, Ended, Reading, Stage, Text
from projects.consumers import NO_SUCH_PROJECT
from projects.intake.service import remove_project
from projects.models import Conversation, Project, Turn
from projects.routing import websocket_urlpatterns
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db(transaction=True)

Frame = dict[str, Any]


@pytest.fixture
def project() -> Project:
    project = make_project()
    add_read(project, "lease.txt", "The rent is 900 euros a month.")
    return project


@pytest.fixture
def fake(fake_inference: FakeEngine) -> FakeEngine:
    fake_inference.default = "The rent is 900 euros a month [1]."
    return fake_inference


def page(project: Project, user: User | AnonymousUser | None = None) -> Any:
    communicator = WebsocketCommunicator(URLRouter(websocket_urlpatterns), f"/ws/projects/{project.pk}/")
    communicator.scope["user"] = user or project.owner
    return communicator


@asynccontextmanager
async def opened(project: Project) -> AsyncIterator[Any]:
    communicator = page(project)
    connected, _ = await communicator.connect()
    assert connected
    try:
        yield communicator
    finally:
        await communicator.disconnect()


async def until(communicator: Any, kind: str, seen: Callable[[Frame], bool] = lambda frame: True) -> list[Frame]:
    """Return the frames up to and including the first of this kind that `seen` takes."""
    frames: list[Frame] = []
    while not frames or frames[-1]["type"] != kind or not seen(frames[-1]):
        frames.append(await communicator.receive_json_from(timeout=10))
    return frames


def text_of(frames: list[Frame]) -> str:
    return "".join(frame["text"] for frame in frames if frame["type"] == "text")


@pytest.mark.parametrize("address", ["/", "/ws/projects/abc/", "/ws/projects/1", f"/ws/projects/{10**30}/"])
async def test_an_address_that_leads_nowhere_is_refused_without_a_fault(project: Project, address: str) -> None:
    communicator = WebsocketCommunicator(URLRouter(websocket_urlpatterns), address)
    communicator.scope["user"] = project.owner
    assert not (await communicator.connect())[0]


async def test_a_question_is_answered_in_order_and_stored(project: Project, fake: FakeEngine) -> None:
    async with opened(project) as desk:
        await desk.send_json_to({"type": "ask", "question": " What is the rent? ", "conversation": None})
        frames = await until(desk, "ended")
    turn = await Turn.objects.select_related("conversation").aget()
    assert frames[0] == {
        "type": "turn",
        "turn": turn.pk,
        "conversation": turn.conversation_id,
        "url": f"/projects/{project.pk}/conversations/{turn.conversation_id}/",
        "html": frames[0]["html"],
    }
    assert "What is the rent?" in frames[0]["html"]
    assert text_of(frames) == "The rent is 900 euros a month [1]."
    assert frames[-1]["state"] == turn.state == Turn.State.DONE
    assert "lease.txt" in frames[-1]["html"]
    assert turn.conversation.title == "What is the rent?"


async def test_a_second_question_goes_on_with_the_conversation(project: Project, fake: FakeEngine) -> None:
    async with opened(project) as desk:
        await desk.send_json_to({"type": "ask", "question": "First?", "conversation": None})
        first = (await until(desk, "ended"))[0]
        await desk.send_json_to({"type": "ask", "question": "Second?", "conversation": first["conversation"]})
        second = (await until(desk, "ended"))[0]
    assert second["conversation"] == first["conversation"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nonsense", "bad_json"),
        ('{"type": "dance"}', "unknown_type"),
        ('{"type": "ask", "question": "  "}', "question_empty"),
        (json.dumps({"type": "ask", "question": "x" * 4001}), "question_too_long"),
        ('{"type": "ask", "question": "Why?", "conversation": 999}', "not_found"),
        ('{"type": "follow", "turn": 999}', "not_found"),
        ('{"type": "stop", "turn": 999}', "not_found"),
        ('{"type": "stop", "turn": ' + "9" * 5_000 + "}", "bad_json"),
        ('{"type": "ask", "question": "\\ud800"}', "bad_frame"),
    ],
)
async def test_a_bad_frame_is_answered_and_the_socket_goes_on(
    project: Project, fake: FakeEngine, text: str, code: str
) -> None:
    async with opened(project) as desk:
        await desk.send_to(text_data=text)
        error = await desk.receive_json_from(timeout=10)
        assert (error["type"], error["code"]) == ("error", code)
        assert error["message"]
        assert not await Conversation.objects.aexists()
        await desk.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        assert (await until(desk, "ended"))[-1]["state"] == "done"


async def test_a_binary_frame_is_refused(project: Project) -> None:
    async with opened(project) as desk:
        await desk.send_to(bytes_data=b"\x00")
        assert (await desk.receive_json_from(timeout=10))["code"] == "bad_json"


async def test_a_stranger_and_a_visitor_get_no_socket(project: Project) -> None:
    for user in (await User.objects.acreate(username="mallory"), AnonymousUser()):
        connected, code = await page(project, user).connect()
        assert not connected
        assert code == NO_SUCH_PROJECT


async def signed_in(user: User) -> SessionStore:
    """Return a stored session as signing in makes it."""
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    await sync_to_async(session.save)()
    return session


async def lock_out(project: Project, session: SessionStore) -> None:
    await User.objects.filter(pk=project.owner_id).aupdate(is_active=False)


async def change_password(project: Project, session: SessionStore) -> None:
    await User.objects.filter(pk=project.owner_id).aupdate(password=make_password("another one"))


async def sign_out(project: Project, session: SessionStore) -> None:
    await sync_to_async(SessionStore(session.session_key).flush)()


async def delete_project(project: Project, session: SessionStore) -> None:
    await sync_to_async(remove_project)(project)


@pytest.mark.parametrize("happens", [lock_out, change_password, sign_out, delete_project])
async def test_who_may_ask_is_checked_with_every_question(project: Project, fake: FakeEngine, happens: Any) -> None:
    desk = page(project)
    desk.scope["session"] = await signed_in(project.owner)
    await desk.connect()
    question = {"type": "ask", "question": "What is the rent?", "conversation": None}
    await desk.send_json_to(question)
    assert (await until(desk, "ended"))[-1]["state"] == "done"

    await happens(project, desk.scope["session"])
    await desk.send_json_to(question)

    assert (await desk.receive_json_from(timeout=10))["code"] == "not_found"
    assert len(fake.requests) == 1
    await desk.disconnect()


async def test_the_local_owner_asks_without_a_session_until_the_account_is_locked(
    project: Project, fake: FakeEngine
) -> None:
    async with opened(project) as desk:
        desk.scope["session"] = SessionStore()
        await lock_out(project, desk.scope["session"])
        await desk.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        assert (await desk.receive_json_from(timeout=10))["code"] == "not_found"


async def test_a_fault_while_a_frame_is_acted_on_is_told_and_the_socket_goes_on(
    project: Project, fake: FakeEngine, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    question = {"type": "ask", "question": "What is the rent?", "conversation": None}
    async with opened(project) as desk:
        with monkeypatch.context() as patch:
            patch.setattr("projects.asking.open_turn", None)
            await desk.send_json_to(question)
            assert (await desk.receive_json_from(timeout=10))["code"] == "internal"
        await desk.send_json_to(question)
        assert (await until(desk, "ended"))[-1]["state"] == "done"
    assert "Traceback" in caplog.text


async def test_a_turn_of_another_project_is_not_here(project: Project) -> None:
    other = await Project.objects.acreate(owner=project.owner, name="Other")
    conversation = await Conversation.objects.acreate(project=other)
    turn = await Turn.objects.acreate(conversation=conversation, question="Why?", state=Turn.State.DONE)
    async with opened(project) as desk:
        for frame in (
            {"type": "follow", "turn": turn.pk},
            {"type": "stop", "turn": turn.pk},
            {"type": "ask", "question": "Why?", "conversation": conversation.pk},
        ):
            await desk.send_json_to(frame)
            assert (await desk.receive_json_from(timeout=10))["code"] == "not_found"


async def test_a_page_that_leaves_does_not_stop_the_answer_and_one_that_comes_gets_all_of_it(
    project: Project, fake: FakeEngine, gate: threading.Event
) -> None:
    fake.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    async with opened(project) as desk:
        await desk.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        turn = (await until(desk, "text"))[0]["turn"]
    assert not fake.tickets[0].cancelled.is_set()
    async with opened(project) as later:
        await later.send_json_to({"type": "follow", "turn": turn})
        before = await until(later, "text")
        assert (before[0]["type"], text_of(before)) == ("turn", "Nine")
        gate.set()
        assert text_of(before + await until(later, "ended")) == "Nine hundred euros."


async def test_two_pages_see_the_same_answer(project: Project, fake: FakeEngine, gate: threading.Event) -> None:
    fake.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    async with opened(project) as one, opened(project) as two:
        await one.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        first = await until(one, "text")
        await two.send_json_to({"type": "follow", "turn": first[0]["turn"]})
        second = await until(two, "text")
        gate.set()
        assert text_of(first + await until(one, "ended")) == text_of(second + await until(two, "ended"))


async def test_following_again_starts_over(project: Project, fake: FakeEngine, gate: threading.Event) -> None:
    fake.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    async with opened(project) as desk:
        await desk.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        turn = (await until(desk, "text"))[0]["turn"]
        await desk.send_json_to({"type": "follow", "turn": turn})
        again = await until(desk, "text")
        gate.set()
        assert text_of(again + await until(desk, "ended")) == "Nine hundred euros."
        assert await desk.receive_nothing()


async def test_a_stopped_answer_keeps_what_was_written(
    project: Project, fake: FakeEngine, gate: threading.Event
) -> None:
    fake.answers.append(FakeAnswer("Nine hundred euros.", gate=gate))
    async with opened(project) as desk:
        await desk.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        turn = (await until(desk, "text"))[0]["turn"]
        await desk.send_json_to({"type": "stop", "turn": turn})
        ended = (await until(desk, "ended"))[-1]
    assert ended["state"] == "stopped"
    assert "Nine" in ended["html"]
    assert await asyncio.to_thread(fake.tickets[0].cancelled.wait, 10)


async def test_a_model_that_dies_in_mid_answer_is_shown_with_a_way_on(project: Project, fake: FakeEngine) -> None:
    fake.answers.append(FakeAnswer("one two three", fail=ServiceLost(), fail_after=2))
    async with opened(project) as desk:
        await desk.send_json_to({"type": "ask", "question": "What is the rent?", "conversation": None})
        frames = await until(desk, "ended")
    assert text_of(frames) == "one two"
    assert frames[-1]["state"] == "failed"
    assert ServiceLost.default_message in frames[-1]["html"]
    assert "Try again" in frames[-1]["html"]


async def test_what_happens_is_passed_on_as_it_is(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    conversation = await Conversation.objects.acreate(project=project)
    turn = await Turn.objects.acreate(conversation=conversation, question="Why?", state=Turn.State.DONE)

    async def follow(turn_id: int) -> AsyncIterator[AnswerEvent]:
        for event in (Stage("searching"), Reading(1, 9, None), Reading(5, 9, 1.5), Text("So"), Ended(Turn.State.DONE)):
            yield event

    monkeypatch.setattr(runs, "follow", follow)
    async with opened(project) as desk:
        await desk.send_json_to({"type": "follow", "turn": turn.pk})
        frames = await until(desk, "ended")
    assert frames[1:-1] == [
        {"type": "stage", "turn": turn.pk, "name": "searching"},
        {"type": "reading", "turn": turn.pk, "read": 1, "total": 9, "seconds_left": None},
        {"type": "reading", "turn": turn.pk, "read": 5, "total": 9, "seconds_left": 1.5},
        {"type": "text", "turn": turn.pk, "text": "So"},
    ]


async def test_a_fault_in_passing_on_is_told_and_logged(
    project: Project, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    conversation = await Conversation.objects.acreate(project=project)
    turn = await Turn.objects.acreate(conversation=conversation, question="Why?", state=Turn.State.DONE)

    async def broken(turn_id: int) -> AsyncIterator[AnswerEvent]:
        yield Stage("searching")
        raise RuntimeError("no such luck")

    monkeypatch.setattr(runs, "follow", broken)
    async with opened(project) as desk:
        await desk.send_json_to({"type": "follow", "turn": turn.pk})
        assert (await until(desk, "error"))[-1]["code"] == "follow_failed"
    assert "no such luck" in caplog.text
