"""Tests of the health document: complete for local callers, one word for others, true in both."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import OperationalError, transaction
from django.test import Client
from pytest_django import Settings

from inference import embeddings
from inference.contracts import EngineState
from inference.embeddings import EmbeddingFailed, EmbeddingHealth, published
from inference.embeddings.fake import FakeEncoder
from inference.fake import FakeEngine
from inference.supervise import status
from inference.supervise.policy import ChildState
from inference.supervise.status import ChildStatus
from inference.switching.machine import Purpose, Step
from inference.switching.report import ModelReport
from study import queue

pytestmark = pytest.mark.django_db

HERE = {"host": "localhost:8642"}
ALL_UP = {name: ChildStatus(ChildState.RUNNING, pid=1) for name in ("web", "worker", "reader", "inference")}


@pytest.fixture
def supervised() -> Iterator[dict[str, ChildStatus]]:
    """Write the status of a supervisor (this process) whose children run; change and `_publish` it for more."""
    children = dict(ALL_UP)
    _publish(children)
    yield children
    status.remove(settings.RUN_DIR)


def _publish(children: dict[str, ChildStatus], model: ModelReport | None = None) -> None:
    status.write(settings.RUN_DIR, status.own_status("http://127.0.0.1:8642/", children, model))


def _get(**extra: Any) -> Any:
    return Client(headers=HERE, **extra).get("/health/")


def test_all_parts_up_is_ok(fake_inference: FakeEngine, supervised: dict[str, ChildStatus]) -> None:
    reply = _get()
    document = reply.json()
    assert reply.status_code == 200
    assert document == {
        "status": "ok",
        "web": "running",
        "worker": "running",
        "reader": "running",
        "inference": {
            "state": "READY",
            "server": "local",
            "step": None,
            "model": document["inference"]["model"],
            "pid": document["inference"]["pid"],
        },
        "embeddings": {"state": "NOT_LOADED", "model": None, "dim": None},
        "queue": {"waiting": 0, "running": 0, "failed": 0},
        "restarts": {"web": 0, "worker": 0, "reader": 0, "inference": 0},
        "problems": [],
    }


def test_dead_worker_is_named(fake_inference: FakeEngine, supervised: dict[str, ChildStatus]) -> None:
    supervised["worker"] = ChildStatus(ChildState.WAITING, restarts=2, last_exit="killed by SIGKILL")
    _publish(supervised)
    reply = _get()
    document = reply.json()
    assert reply.status_code == 503
    assert (document["status"], document["worker"], document["restarts"]["worker"]) == ("degraded", "waiting", 2)
    assert document["problems"] == ["worker ended (killed by SIGKILL) and is started again."]


def test_model_process_that_does_not_answer_yet_is_starting(supervised: dict[str, ChildStatus]) -> None:
    reply = _get()
    assert reply.status_code == 503
    assert reply.json()["status"] == "starting"
    assert reply.json()["inference"]["state"] == "NOT_LOADED"


def test_model_process_that_crashed_is_a_problem(supervised: dict[str, ChildStatus]) -> None:
    supervised["inference"] = ChildStatus(ChildState.WAITING, last_exit="exit code 1")
    _publish(supervised)
    assert _get().json()["status"] == "degraded"


@pytest.mark.parametrize("state", [ChildState.STOPPED, ChildState.RUNNING])
def test_a_model_that_is_changed_is_a_matter_of_time(supervised: dict[str, ChildStatus], state: ChildState) -> None:
    supervised["inference"] = ChildStatus(state)
    _publish(supervised, ModelReport(Step.STARTING, Purpose.SWITCH, "smollm2-135m"))
    document = _get().json()
    assert (document["status"], document["inference"]["step"]) == ("starting", "starting")
    assert document["problems"] == ["Model: Starting smollm2-135m."]


def test_a_model_that_sleeps_is_as_it_should_be(supervised: dict[str, ChildStatus]) -> None:
    supervised["inference"] = ChildStatus(ChildState.STOPPED)
    _publish(supervised, ModelReport(Step.ASLEEP, Purpose.SLEEP, "smollm2-135m"))
    document = _get().json()
    assert (document["status"], document["problems"]) == ("ok", [])
    assert (document["inference"]["state"], document["inference"]["step"]) == ("NOT_LOADED", "asleep")


def test_web_alone_says_that_the_rest_is_missing(fake_inference: FakeEngine) -> None:
    document = _get().json()
    assert (document["status"], document["web"], document["worker"]) == ("degraded", "running", "stopped")
    assert "manage.py up" in document["problems"][0]


def test_jobs_are_counted(fake_inference: FakeEngine, supervised: dict[str, ChildStatus]) -> None:
    with transaction.atomic():
        queue.enqueue("projects.jobs.ingest_document", 1)
    assert _get().json()["queue"] == {"waiting": 1, "running": 0, "failed": 0}


def test_database_in_trouble_does_not_silence_the_rest(
    fake_inference: FakeEngine, supervised: dict[str, ChildStatus], monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(queue, "counts", locked)
    document = _get().json()
    assert document["status"] == "degraded"
    assert document["queue"] == {"waiting": None, "running": None, "failed": None}
    assert document["inference"]["state"] == "READY"


def _embedding_model(monkeypatch: pytest.MonkeyPatch, settings: Settings, load: Callable[[str], FakeEncoder]) -> None:
    settings.EMBEDDINGS = "mini"
    monkeypatch.setattr(embeddings, "_embedders", {})
    monkeypatch.setattr(embeddings, "_load", load)
    embeddings.embedder().wait()


def test_embedding_model_is_named_with_its_dimension_once_it_is_loaded(
    fake_inference: FakeEngine, supervised: dict[str, ChildStatus], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    _embedding_model(monkeypatch, settings, lambda name: FakeEncoder(dim=384))
    assert _get().json()["embeddings"] == {"state": "READY", "model": "mini", "dim": 384}
    assert _get().json()["status"] == "ok"


def test_embedding_model_that_is_missing_is_a_problem_with_its_cause(
    fake_inference: FakeEngine, supervised: dict[str, ChildStatus], monkeypatch: pytest.MonkeyPatch, settings: Settings
) -> None:
    def missing(name: str) -> FakeEncoder:
        raise EmbeddingFailed("It is not on this machine.")

    _embedding_model(monkeypatch, settings, missing)
    document = _get().json()
    assert document["embeddings"] == {"state": "FAILED", "model": "mini", "dim": None}
    assert document["problems"] == ["Search by meaning: It is not on this machine."]
    assert document["status"] == "degraded"


def test_command_tells_the_embedding_model_of_the_web_process(
    fake_inference: FakeEngine, supervised: dict[str, ChildStatus]
) -> None:
    published.write(settings.RUN_DIR, EmbeddingHealth(EngineState.READY, "mini", 384))
    output = io.StringIO()
    try:
        call_command("health", json=True, stdout=output)
    finally:
        (settings.RUN_DIR / published.FILE_NAME).unlink()
    assert json.loads(output.getvalue())["embeddings"] == {"state": "READY", "model": "mini", "dim": 384}


@pytest.mark.parametrize("extra", [{"REMOTE_ADDR": "192.168.1.5"}, {"HTTP_X_FORWARDED_FOR": "127.0.0.1"}])
def test_callers_from_outside_learn_the_status_alone(extra: dict[str, str]) -> None:
    assert _get(**extra).json() == {"status": "degraded"}


def test_account_from_outside_sees_everything(settings: Settings) -> None:
    client = Client(headers=HERE, REMOTE_ADDR="192.168.1.5")
    client.force_login(User.objects.create_user("anna"))
    assert "queue" in client.get("/health/").json()


def test_command_prints_one_object_and_succeeds(fake_inference: FakeEngine, supervised: dict[str, ChildStatus]) -> None:
    output = io.StringIO()
    call_command("health", json=True, stdout=output)
    assert json.loads(output.getvalue())["status"] == "ok"


def test_command_fails_and_says_why_in_words() -> None:
    output = io.StringIO()
    with pytest.raises(SystemExit) as failed:
        call_command("health", stdout=output)
    assert failed.value.code == 1
    assert output.getvalue().splitlines() == [
        "degraded: web stopped, worker stopped, model NOT_LOADED",
        "queue: 0 waiting, 0 running, 0 failed",
        "Readahead is not running; `make run` or `manage.py up` starts it.",
    ]
