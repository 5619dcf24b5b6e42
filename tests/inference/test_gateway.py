"""The gateway over the real HTTP service with a fake engine."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.conf import settings

from inference import endpoint, gateway
from inference.contracts import ChatMessage, ChatRequest, Delta, EngineState, Finished, Health, Part, Progress, Sampling
from inference.errors import (
    EngineFault,
    ModelLoading,
    NotAuthorised,
    ServiceBusy,
    ServiceStalled,
    ServiceUnavailable,
    UnknownModel,
)
from inference.fake import FakeAnswer, FakeEngine, broken
from inference.gateway import to_wire
from inference.service.wire import parse_chat
from inference.supervise import status

ASK = ChatRequest(messages=(ChatMessage("user", "How many?"),))


async def test_an_answer_arrives_word_by_word_and_ends_with_its_timings(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append("Seven of  them.\nMore.")
    events = [event async for event in gateway.gateway().stream(ASK)]
    assert "".join(event.text for event in events if isinstance(event, Delta)) == "Seven of  them.\nMore."
    assert isinstance(events[0], Progress)
    end = events[-1]
    assert isinstance(end, Finished)
    assert (end.reason, end.timings.prompt, end.timings.generated) == ("stop", 2, 4)
    assert end.model == "fake-model"


async def test_the_engine_receives_the_request_as_it_was_made(fake_inference: FakeEngine) -> None:
    request = ChatRequest(
        messages=(ChatMessage("system", "Be brief."), ChatMessage("user", (Part("a", "here"), Part("b")))),
        sampling=Sampling(temperature=0.5, top_k=3, seed=7, grammar_schema={"type": "object"}),
        max_tokens=9,
        stop=("END",),
        conversation="c1",
        save=("here",),
    )
    await gateway.gateway().complete(request)
    assert fake_inference.requests == [request]
    assert parse_chat(to_wire(request, stream=True)) == request


async def test_a_client_that_leaves_frees_the_engine(fake_inference: FakeEngine, gate: threading.Event) -> None:
    fake_inference.answers.append(FakeAnswer("one two three", gate=gate))
    stream = gateway.gateway().stream(ASK)
    while not isinstance(await anext(stream), Delta):
        pass
    await stream.aclose()
    assert fake_inference.tickets[0].cancelled.wait(5)


async def test_a_failure_in_the_middle_keeps_its_name(fake_inference: FakeEngine) -> None:
    fake_inference.answers.append(broken())
    stream = gateway.gateway().stream(ASK)
    assert [type(await anext(stream)) for _ in range(4)] == [Progress, Delta, Delta, Delta]
    with pytest.raises(EngineFault):
        await anext(stream)


@pytest.mark.parametrize("refusal", [ServiceBusy("Line is full."), ModelLoading(), UnknownModel("No such model.")])
async def test_a_refusal_keeps_its_name_and_message(fake_inference: FakeEngine, refusal: Exception) -> None:
    fake_inference.refuse = refusal  # type: ignore[assignment]
    with pytest.raises(type(refusal), match=str(refusal)):
        await gateway.gateway().complete(ASK)


async def test_an_engine_that_hangs_is_an_error_and_not_a_heartbeat_for_ever(
    fake_inference: FakeEngine, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("inference.service.stream.HEARTBEAT_S", 0.01)
    fake_inference.answers.append(FakeAnswer("one two", gate=gate))
    stream = gateway.gateway().stream(ASK)
    while not isinstance(await anext(stream), Delta):
        pass
    assert isinstance(await anext(stream), Progress)  # a heartbeat while it works
    fake_inference.silent_for = 1000.0
    with pytest.raises(ServiceStalled):
        _ = [event async for event in stream]


async def test_nothing_running_is_said_as_such() -> None:
    with pytest.raises(ServiceUnavailable, match=r"Readahead is not running\. Start it with `make run`"):
        await gateway.gateway().complete(ASK)
    unreachable = Health(EngineState.NOT_LOADED, message=gateway.NOT_RUNNING)
    assert await gateway.gateway().health() == unreachable


def test_nothing_running_is_said_to_synchronous_code_too() -> None:
    assert gateway.health() == Health(EngineState.NOT_LOADED, message=gateway.NOT_RUNNING)


async def test_a_service_that_a_supervisor_starts_again_is_announced() -> None:
    status.write(settings.RUN_DIR, status.own_status("", {}))
    try:
        with pytest.raises(ServiceUnavailable, match="being started again"):
            await gateway.gateway().complete(ASK)
    finally:
        status.remove(settings.RUN_DIR)


@pytest.mark.parametrize(
    ("said", "understood"),
    [
        ({"state": "READY", "notes": ["A note."], "colour": "blue"}, Health(EngineState.READY, notes=("A note.",))),
        ({"state": "READY", "model": "small"}, Health(EngineState.READY, model="small")),
        ({"state": "DREAMING"}, Health(EngineState.NOT_LOADED, message=gateway.NOT_UNDERSTOOD)),
        ({}, Health(EngineState.NOT_LOADED, message=gateway.NOT_UNDERSTOOD)),
        (["READY"], Health(EngineState.NOT_LOADED, message=gateway.NOT_UNDERSTOOD)),
    ],
)
def test_the_health_of_another_version_is_no_stack_trace(
    fake_inference: FakeEngine, monkeypatch: pytest.MonkeyPatch, said: object, understood: Health
) -> None:
    monkeypatch.setattr("inference.service.app.asdict", lambda _: said)
    assert gateway.health() == understood


async def test_a_service_that_has_died_is_unavailable_not_a_stack_trace(fake_inference: FakeEngine) -> None:
    published = endpoint.read(settings.RUN_DIR)
    assert published is not None
    endpoint.publish(settings.RUN_DIR, endpoint.Endpoint("http://127.0.0.1:9", published.key, published.pid))
    with pytest.raises(ServiceUnavailable):
        await gateway.gateway().complete(ASK)


async def test_a_wrong_key_is_refused(fake_inference: FakeEngine) -> None:
    published = endpoint.read(settings.RUN_DIR)
    assert published is not None
    endpoint.publish(settings.RUN_DIR, endpoint.Endpoint(published.url, "wrong", published.pid))
    with pytest.raises(NotAuthorised):
        await gateway.gateway().complete(ASK)


def test_the_synchronous_twins_agree(fake_inference: FakeEngine) -> None:
    assert gateway.count_tokens(["one two", "", "three"]) == [2, 0, 1]
    assert gateway.complete(ASK).text == "An answer."
    assert gateway.health().state is EngineState.READY


@pytest.mark.parametrize(
    ("content", "understood"),
    [
        ('{"url": "http://127.0.0.1:1", "key": "k", "since": 2027}', endpoint.Endpoint("http://127.0.0.1:1", "k")),
        ('{"key": "k"}', None),
        ("[]", None),
        ("", None),
    ],
)
def test_the_endpoint_file_of_another_version_is_no_stack_trace(
    tmp_path: Path, content: str, understood: endpoint.Endpoint | None
) -> None:
    (tmp_path / endpoint.FILE_NAME).write_text(content)
    assert endpoint.read(tmp_path) == understood


def test_the_endpoint_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    endpoint.publish(tmp_path, endpoint.Endpoint("http://127.0.0.1:1", "k", 5))
    assert (tmp_path / endpoint.FILE_NAME).stat().st_mode & 0o777 == 0o600
    endpoint.withdraw(tmp_path, pid=6)
    assert endpoint.read(tmp_path) is not None
    endpoint.withdraw(tmp_path, pid=5)
    assert endpoint.read(tmp_path) is None


async def test_a_thread_gets_its_answer_though_the_loop_that_it_works_for_has_stopped(
    fake_inference: FakeEngine,
) -> None:
    """A web process that ends waits for its threads: one that waited for its loop would keep it for ever."""
    begun, done = threading.Event(), threading.Event()

    def work() -> list[int]:
        begun.set()
        counts = gateway.count_tokens(["two words"])
        done.set()
        return counts

    task = asyncio.create_task(sync_to_async(work)())
    await asyncio.to_thread(begun.wait, 10)
    assert done.wait(10)  # and meanwhile the loop stands still
    assert await task == [2]
