"""A model with sliding-window layers: remembered exactly, or read again, never with holes in its memory."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from django.conf import settings

from inference.catalogue import TEST_FILES
from inference.contracts import ChatMessage, ChatRequest, Event, Part, PoolName
from inference.engine.engine import LlamaEngine
from inference.engine.plan import simple_plan
from inference.engine.snapshots import SnapshotStore
from inference.errors import InferenceError
from tests.inference.engine.conftest import Asked, wait_until_ready

pytestmark = pytest.mark.engine

DOCUMENT = " ".join(f"Item {number} costs {number * 7 % 13} euros." for number in range(90))
"""About 820 tokens: more than the window of 512 that the model's local layers see."""

QUESTIONS = (" Which is dearest?", " And which is cheapest?")


@pytest.fixture(scope="module", params=[True, False], ids=["kept whole", "window only"])
def keeps_all(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def store(keeps_all: bool, tmp_path_factory: pytest.TempPathFactory) -> SnapshotStore:
    return SnapshotStore(tmp_path_factory.mktemp("snapshots"), f"gemma-{keeps_all}", 10**9, cuttable=False)


@pytest.fixture(scope="module")
def gemma(keeps_all: bool, store: SnapshotStore) -> Iterator[LlamaEngine]:
    path: Path = settings.MODELS_DIR / TEST_FILES[0].file
    plan = replace(simple_plan(2048, 2), swa_full=keeps_all)
    engine = LlamaEngine(path, lambda _path: plan, lambda _model, _plan: store)
    engine.start()
    wait_until_ready(engine)
    yield engine
    engine.stop()


def ask_about(
    engine: LlamaEngine, question: str, *, save: bool = False, document: str = DOCUMENT, conversation: str = ""
) -> Asked:
    pool = PoolName.CONVERSATION if conversation else PoolName.STUDY
    events: queue.Queue[Event | InferenceError] = queue.Queue()
    message = ChatMessage("user", (Part(document, "doc"), Part(question)))
    keep = ("doc",) if save else ()
    request = ChatRequest((message,), pool=pool, max_tokens=12, save=keep, conversation=conversation)
    return Asked(engine.submit(request, events.put), events)


def overwrite(engine: LlamaEngine) -> None:
    ask_about(engine, "?", document="Nothing of the kind.").result()


@pytest.fixture(scope="module")
def plain(gemma: LlamaEngine, store: SnapshotStore) -> list[str]:
    """The answers by plain prefill; afterwards the document's state is on disk and in no slot."""
    answers = []
    for question in QUESTIONS:
        overwrite(gemma)
        text, end = ask_about(gemma, question).result()
        assert end.timings.restored == 0
        assert end.timings.read > 780
        answers.append(text)
    overwrite(gemma)
    ask_about(gemma, "?", save=True).result()
    overwrite(gemma)
    store.flush()
    return answers


def test_it_has_a_sliding_window(gemma: LlamaEngine) -> None:
    assert gemma._pools[PoolName.STUDY].context.model.sliding_window == 512


def test_a_restored_document_gives_the_answers_of_plain_prefill(gemma: LlamaEngine, plain: list[str]) -> None:
    for question, expected in zip(QUESTIONS, plain, strict=True):
        overwrite(gemma)
        text, end = ask_about(gemma, question).result()
        assert text == expected
        assert end.timings.restored > 780


def test_what_the_study_has_read_a_conversation_goes_on_from(gemma: LlamaEngine, plain: list[str]) -> None:
    text, end = ask_about(gemma, QUESTIONS[0], conversation="first").result()
    assert text == plain[0]
    assert end.timings.restored > 780


def test_a_second_question_on_the_slot_gives_the_answer_of_plain_prefill(gemma: LlamaEngine, plain: list[str]) -> None:
    ask_about(gemma, QUESTIONS[0]).result()
    text, end = ask_about(gemma, QUESTIONS[1]).result()
    assert text == plain[1]
    assert end.timings.reused + end.timings.restored > 780


def test_a_restored_state_is_never_cut_into(gemma: LlamaEngine, plain: list[str]) -> None:
    shorter = DOCUMENT[: len(DOCUMENT) // 3]
    _, end = ask_about(gemma, QUESTIONS[0]).result()
    assert end.timings.restored + end.timings.reused > 780
    text, end = ask_about(gemma, "?", document=shorter).result()
    assert end.timings.restored + end.timings.reused < 64
    overwrite(gemma)
    assert ask_about(gemma, "?", document=shorter).result()[0] == text


def test_a_state_that_was_read_is_cut_where_it_is_kept_whole(gemma: LlamaEngine, keeps_all: bool) -> None:
    shorter = DOCUMENT[: len(DOCUMENT) // 3]
    gemma.forget("doc")
    overwrite(gemma)
    expected, _ = ask_about(gemma, "?", document=shorter).result()
    overwrite(gemma)
    ask_about(gemma, QUESTIONS[0]).result()
    text, end = ask_about(gemma, "?", document=shorter).result()
    assert text == expected
    assert end.timings.reused > 200 if keeps_all else end.timings.reused < 64
