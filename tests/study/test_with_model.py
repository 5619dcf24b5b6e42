"""The study with the real engine and the small model: what was read is not read again by whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from inference import gateway
from inference.contracts import ChatMessage, ChatRequest, Completion
from inference.engine.engine import LlamaEngine
from inference.engine.plan import simple_plan
from inference.engine.snapshots import SnapshotStore, compatibility_key
from study import digest_steps, document_steps, service
from study.faithful import Values
from study.keys import Learner, learner_of
from study.models import DocumentSummary, StudyTask
from tests.inference.engine.conftest import model_file, wait_until_ready
from tests.serving import serve_engine
from tests.study.factories import a_reader, add_document, make_project

pytestmark = [
    pytest.mark.engine,
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
]

PAGES = [
    "Lease of a flat in Harbour Street 12. The tenant, Ada Lark, pays 950 EUR a month from 3 May 2021. " * 6,
    "The deposit is 1,900 EUR. Either side may end the lease with three months' notice. " * 6,
]


def _engine(folder: Path) -> LlamaEngine:
    store = SnapshotStore(folder, compatibility_key({"model": "small"}), 10**9)
    plan = simple_plan(2048, 1, conversations=1, service_window=512)
    return LlamaEngine(
        model_file("smollm2-135m"), lambda _path: plan, lambda _model, _plan: store, key_of=lambda _path: "small"
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The states' folder; two services, one after the other, are run over it."""
    return tmp_path / "snapshots"


@pytest.fixture(autouse=True)
def few_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the small model writes is nothing to judge: let it be short."""
    monkeypatch.setattr(document_steps, "DOCUMENT_ANSWER", 24)
    monkeypatch.setattr(document_steps, "SECTION_ANSWER", 16)
    monkeypatch.setattr(digest_steps, "OPENING_ANSWER", 24)


def _ask(messages: tuple[ChatMessage, ...]) -> Completion:
    return gateway.complete(ChatRequest(messages, max_tokens=8, conversation="a person's"))


def test_what_was_read_ahead_is_not_read_again_after_a_restart(folder: Path) -> None:
    project = make_project()
    documents = [add_document(project, name, *PAGES) for name in ("first.pdf", "second.pdf")]
    reading = _engine(folder)
    reading.start()
    with serve_engine(reading, settings.RUN_DIR):
        wait_until_ready(reading)
        a_reader().run()
        learner = learner_of(gateway.health())
    assert learner == Learner("small", 2048)
    assert set(StudyTask.objects.values_list("state", flat=True)) == {StudyTask.State.DONE}
    for document in documents:
        summary = DocumentSummary.objects.get(document=document)
        assert Values.of("\n".join(PAGES)).lacks(summary.text) == []

    asking = _engine(folder)
    asking.start()
    with serve_engine(asking, settings.RUN_DIR):
        wait_until_ready(asking)
        for document in documents:
            prefix = service.document_prefix(document.pk, learner)
            assert prefix is not None
            timings = _ask(prefix.messages("Who is the tenant?")).timings
            assert timings.read <= 64
            assert timings.restored + timings.reused > 300
        digest = service.digest_for(project.pk, learner)
        assert digest is not None
        timings = _ask(digest.messages("What are these documents about?")).timings
        assert timings.read <= 64
        assert timings.restored > 32


def test_each_token_is_read_about_once(folder: Path) -> None:
    project = make_project()
    text = "\n\n".join(f"Clause {number}. The rent of flat {number} is {number * 7} EUR." for number in range(220))
    document = add_document(project, "long.txt", text)
    engine = _engine(folder)
    engine.start()
    with serve_engine(engine, settings.RUN_DIR):
        wait_until_ready(engine)
        a_reader().run()
    task = StudyTask.objects.get(document=document)
    assert task.state == StudyTask.State.DONE
    assert task.tokens_total > 2_048  # two parts: it does not fit into the window
    assert task.tokens <= 1.3 * task.tokens_total
