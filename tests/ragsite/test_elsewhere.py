"""Starting, and /health/, where a server answers in place of the local model."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from pytest_django import Settings

from inference.external import choice, connection
from inference.external.choice import Server
from inference.external.report import Report
from inference.supervise import status
from inference.supervise.policy import ChildState
from inference.supervise.status import ChildStatus
from ragsite import launch
from ragsite.launch import CannotStart
from tests.inference.openai_like import OpenAILike, serving

pytestmark = pytest.mark.django_db

HERE = {"host": "localhost:8642"}


@pytest.fixture(autouse=True)
def own_home(settings: Settings, tmp_path: Path) -> Iterator[None]:
    settings.HOME, settings.SERVER_URL = tmp_path, ""
    connection.forget_learned()
    yield
    connection.forget_learned()


@pytest.fixture
def there() -> Iterator[OpenAILike]:
    with serving() as served:
        choice.keep_draft(Server(served.url), Report())
        choice.use_draft(confirmed=False)
        yield served


@pytest.fixture
def supervised(settings: Settings) -> Iterator[None]:
    """A supervisor (this process) that keeps everything but a model."""
    children = {name: ChildStatus(ChildState.RUNNING, pid=1) for name in ("web", "worker", "reader", "fetcher")}
    status.write(settings.RUN_DIR, status.own_status("", children))
    yield
    status.remove(settings.RUN_DIR)


def health() -> dict[str, Any]:
    document: dict[str, Any] = Client(headers=HERE).get("/health/").json()
    return document


def test_a_server_that_answers_is_all_that_is_missing(there: OpenAILike, supervised: None) -> None:
    document = health()
    assert document["status"] == "ok"
    assert document["inference"] == {
        "state": "READY",
        "server": "external",
        "step": None,
        "model": "large",
        "pid": None,
    }


def test_a_local_model_that_left_for_it_is_no_problem(there: OpenAILike, supervised: None, settings: Settings) -> None:
    running = status.read(settings.RUN_DIR)
    assert running is not None
    asleep = ChildStatus(ChildState.STOPPED, last_exit="exit code 0")
    status.write(settings.RUN_DIR, status.own_status("", {**running.children, "inference": asleep}))
    assert health()["status"] == "ok"


def test_a_server_that_is_away_is_a_problem_with_a_name(there: OpenAILike, supervised: None) -> None:
    choice.keep_draft(Server("http://127.0.0.1:9/v1", "large"), Report())
    choice.use_draft(confirmed=False)
    document = health()
    assert document["status"] == "degraded"
    (problem,) = document["problems"]
    assert problem.startswith("Model: Nothing answers at http://127.0.0.1:9: the connection was refused.")


def test_a_server_that_waits_for_a_confirmation_says_so(settings: Settings, supervised: None) -> None:
    settings.SERVER_URL = "https://models.example/v1"
    document = health()
    assert (document["inference"]["server"], document["status"]) == ("external", "degraded")
    assert "would leave this machine for https://models.example" in document["problems"][0]


def test_back_at_a_local_model_that_was_not_started_the_way_is_told(supervised: None) -> None:
    document = health()
    assert document["inference"]["server"] == "local"
    assert "Stop it (Ctrl-C) and run it again." in document["problems"][0]


@pytest.mark.parametrize("elsewhere", [True, False], ids=["a server", "the local model"])
def test_the_local_model_is_fetched_and_kept_only_where_it_is_to_answer(
    monkeypatch: pytest.MonkeyPatch, settings: Settings, elsewhere: bool
) -> None:
    if elsewhere:
        settings.SERVER_URL = "http://127.0.0.1:8080/v1"
    done: list[Any] = []
    nothing: Any = lambda *_, **__: None  # noqa: E731 - one for all
    for name in ("end_all", "require_port", "call_command", "local_owner", "require_account", "_log_to"):
        monkeypatch.setattr(launch, name, nothing)
    monkeypatch.setattr(launch, "_drop_incoming", nothing)
    monkeypatch.setattr(launch, "_install_model", lambda: done.append("model"))
    monkeypatch.setattr(launch, "_model_keeper", nothing)

    class Supervisor:
        def __init__(self, children: Any, places: Any, say: Any, keepers: Any) -> None:
            done.extend([[child.name for child in children], sorted(keepers)])

        def run(self, *_: Any) -> None:
            """Nothing runs here."""

    monkeypatch.setattr(launch, "Supervisor", Supervisor)
    said: list[str] = []
    launch.launch(said.append)
    others = ["web", "worker", "reader", "fetcher"]
    wanted: list[Any] = [others, []] if elsewhere else ["model", others, ["inference"]]
    assert done == wanted
    assert any("http://127.0.0.1:8080 answers" in line for line in said) is elsewhere


def test_a_choice_that_cannot_be_read_stops_the_start_with_a_sentence(tmp_path: Path) -> None:
    (tmp_path / choice.FILE_NAME).write_text("[]")
    with pytest.raises(CannotStart, match="cannot be read"):
        launch._answered_elsewhere()
