"""Tests of what callers find while the model is changed: they wait, or are told what happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.conf import settings

from inference import gateway
from inference.contracts import ChatMessage, ChatRequest, EngineState
from inference.downloads.bell import heard
from inference.errors import ModelFailed, ServiceLost, ServiceUnavailable
from inference.fake import FakeAnswer, FakeEngine
from inference.supervise import status
from inference.switching import waiting
from inference.switching.bells import WAKE
from inference.switching.machine import Failure, Purpose, Step
from inference.switching.report import ModelReport

ASK = ChatRequest(messages=(ChatMessage("user", "How many?"),))
LOADING = ModelReport(Step.LOADING, Purpose.SWITCH, "B", percent=40, previous="A")
IN_USE = ModelReport(Step.IN_USE, Purpose.SWITCH, "B")
ASLEEP = ModelReport(Step.ASLEEP, Purpose.SLEEP, "A")

Say = Callable[[ModelReport | None], None]


@pytest.fixture
def say(monkeypatch: pytest.MonkeyPatch) -> Iterator[Say]:
    """Let a supervisor (this process) say how the model is."""
    monkeypatch.setattr(waiting, "LOOK_S", 0.01)
    run_dir: Path = settings.RUN_DIR
    run_dir.mkdir(parents=True, exist_ok=True)

    def write(report: ModelReport | None) -> None:
        status.write(run_dir, status.own_status("http://127.0.0.1:1/", {}, report))

    yield write
    status.remove(run_dir)
    (run_dir / WAKE).unlink(missing_ok=True)


async def test_a_question_waits_for_the_model_that_is_on_its_way(say: Say, fake_inference: FakeEngine) -> None:
    say(LOADING)
    asked = asyncio.create_task(gateway.gateway().health_when_served())
    await asyncio.sleep(0.05)
    assert not asked.done()
    say(IN_USE)
    assert (await asyncio.wait_for(asked, 5)).state is EngineState.READY


async def test_it_waits_no_longer_than_it_says(say: Say) -> None:
    say(LOADING)
    await asyncio.wait_for(waiting.until_served(settings.RUN_DIR, patience_s=0.05), 5)


@pytest.mark.parametrize(
    "report",
    [None, IN_USE, ModelReport(Step.FAILED, failures=(Failure("A", "bad file"),)), ModelReport(Step.WAITING, tries=4)],
    ids=["nobody", "in use", "failed", "crashing"],
)
async def test_nobody_waits_where_no_model_is_on_its_way(say: Say, report: ModelReport | None) -> None:
    say(report)
    await asyncio.wait_for(waiting.until_served(settings.RUN_DIR), 1)


async def test_nobody_waits_where_nothing_runs() -> None:
    await asyncio.wait_for(waiting.until_served(settings.RUN_DIR), 1)


async def test_a_question_wakes_a_model_that_is_asleep(say: Say) -> None:
    say(ASLEEP)
    asked = asyncio.create_task(waiting.until_served(settings.RUN_DIR))
    await asyncio.sleep(0.05)
    assert heard(settings.RUN_DIR / WAKE)
    say(ModelReport(Step.STARTING, model="A"))
    await asyncio.sleep(0.05)
    assert not asked.done()
    say(IN_USE)
    await asyncio.wait_for(asked, 5)


def test_work_wakes_a_model_that_is_asleep_and_no_other(say: Say) -> None:
    say(IN_USE)
    gateway.wake()
    assert not heard(settings.RUN_DIR / WAKE)
    say(ASLEEP)
    gateway.wake()
    assert heard(settings.RUN_DIR / WAKE)


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (LOADING, "The model is being changed. Loading B: 40 %. Try again in a moment."),
        (ASLEEP, "A is asleep; it wakes with the next question."),
        (
            ModelReport(Step.WAITING, model="A", failures=(Failure("A", "its process ended"),)),
            "A stopped: its process ended. It is being started again. Try again in a moment.",
        ),
        (ModelReport(Step.STARTING, model="A"), ServiceUnavailable.default_message),
        (None, ServiceUnavailable.default_message),
    ],
    ids=["changing", "asleep", "crashed", "starting", "unknown"],
)
async def test_who_cannot_wait_is_told_what_happens(say: Say, report: ModelReport | None, sentence: str) -> None:
    say(report)
    with pytest.raises(ServiceUnavailable) as told:
        await gateway.gateway().complete(ASK)
    assert told.value.message == sentence
    assert told.value.retry
    assert (await gateway.gateway().health()).message == sentence


async def test_an_answer_cut_off_by_a_change_says_so(say: Say, fake_inference: FakeEngine) -> None:
    fake_inference.answers.append(FakeAnswer("one two three", fail=ServiceUnavailable(), fail_after=2))
    say(ModelReport(Step.STOPPING, Purpose.SWITCH, "A", goal="B"))
    with pytest.raises((ServiceUnavailable, ServiceLost), match=r"was changed in the middle of the answer\. Try again"):
        await gateway.gateway().complete(ASK)


def test_files_that_a_change_may_still_need_are_kept(say: Say) -> None:
    say(LOADING)
    for name in ("A", "B"):
        with pytest.raises(ModelFailed, match="while the model is being changed"):
            waiting.require_spare(name, settings.RUN_DIR)
    waiting.require_spare("C", settings.RUN_DIR)
    say(IN_USE)
    waiting.require_spare("A", settings.RUN_DIR)
