"""The models page and the commands while the model is being changed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.contrib.auth.models import User
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from inference import views
from inference.activation import put_back
from inference.catalogue import find
from inference.contracts import EngineState, Health
from inference.downloads.bell import heard
from inference.engine.budget import GIB
from inference.engine.machine import Machine
from inference.models import ModelChoice
from inference.supervise import status
from inference.switching.bells import CHOICE
from inference.switching.machine import Failure, Purpose, Step, Target
from inference.switching.report import ModelReport
from tests.inference.gguf_files import write_gguf

pytestmark = pytest.mark.django_db

SMALL, OTHER = "smollm2-135m", "qwen2.5-coder-0.5b"
Say = Callable[[ModelReport], None]


@pytest.fixture(autouse=True)
def models_dir(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with two models, on a machine that can run both, without a model service."""
    settings.MODELS_DIR = tmp_path
    monkeypatch.delenv("READAHEAD_MODEL", raising=False)
    monkeypatch.setattr(views, "this_machine", lambda: Machine(24 * GIB, 24 * GIB, cores=2))
    monkeypatch.setattr("inference.gateway.health", lambda: Health(EngineState.NOT_LOADED))
    for model in (SMALL, OTHER):
        write_gguf(tmp_path / find(model).file)
    return tmp_path


@pytest.fixture
def say() -> Iterator[Say]:
    """Let a supervisor (this process) say how the model is."""
    run_dir: Path = django_settings.RUN_DIR

    def write(report: ModelReport) -> None:
        status.write(run_dir, status.own_status("http://127.0.0.1:1/", {}, report))

    yield write
    status.remove(run_dir)
    (run_dir / CHOICE).unlink(missing_ok=True)


@pytest.fixture
def page(client: Client) -> Client:
    client.force_login(User.objects.create_user("anna", is_staff=True))
    return client


def shown(page: Client, **headers: str) -> str:
    return " ".join(page.get(reverse("models:list"), headers=headers).content.decode().split())


@pytest.mark.parametrize(
    ("report", "words"),
    [
        (ModelReport(Step.STOPPING, Purpose.SWITCH, SMALL, goal=OTHER), [">ending<", f"Ending {SMALL}."]),
        (ModelReport(Step.STARTING, Purpose.SWITCH, OTHER), [">starting<", f"Starting {OTHER}."]),
        (
            ModelReport(Step.LOADING, Purpose.SWITCH, OTHER, percent=40),
            [">loading<", f"Loading {OTHER}: 40 %.", 'value="40"'],
        ),
        (
            ModelReport(Step.STARTING, Purpose.ROLL_BACK, SMALL, failures=(Failure(OTHER, "bad file"),)),
            [f"{OTHER} did not start: bad file. Starting {SMALL}."],
        ),
    ],
    ids=["ending", "starting", "loading", "rolling back"],
)
def test_each_step_of_a_change_is_said_and_the_page_moves(
    page: Client, say: Say, report: ModelReport, words: list[str]
) -> None:
    say(report)
    text = shown(page)
    for each in [*words, 'hx-trigger="every 2s"']:
        assert each in text


def test_when_it_is_done_that_is_said_and_the_page_rests(
    page: Client, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(ModelReport(Step.IN_USE, Purpose.SWITCH, OTHER))
    monkeypatch.setattr("inference.gateway.health", lambda: Health(EngineState.READY, OTHER, window=8192))
    text = shown(page)
    assert f"{OTHER} is in use." in text
    assert "window 8,192 tokens" in text
    assert "every 2s" not in text


def test_a_model_that_did_not_start_is_named_with_the_cause(page: Client, say: Say) -> None:
    say(ModelReport(Step.IN_USE, Purpose.ROLL_BACK, SMALL, failures=(Failure(OTHER, "The file is damaged."),)))
    sentence = f"{OTHER} did not start: The file is damaged. {SMALL} is in use again."
    assert f'<p class="model-error" role="status">{sentence}</p>' in shown(page)


def test_a_plain_start_is_shown_without_further_words(page: Client, say: Say) -> None:
    say(ModelReport(Step.STARTING, model=SMALL))
    text = shown(page)
    assert ">starting<" in text
    assert 'role="status"' not in text.partition('id="model-engine"')[2].partition("</div>")[0]


def test_a_model_that_sleeps_says_what_wakes_it(page: Client, say: Say) -> None:
    say(ModelReport(Step.ASLEEP, Purpose.SLEEP, SMALL))
    text = shown(page)
    assert ">asleep<" in text
    assert "it wakes with the next question" in text
    assert "every 2s" not in text


def test_while_only_the_percentage_moves_only_the_bar_is_sent(page: Client, say: Say) -> None:
    say(ModelReport(Step.LOADING, Purpose.SWITCH, OTHER, percent=40))
    seen = shown(page).partition("?seen=")[2].partition('"')[0]
    say(ModelReport(Step.LOADING, Purpose.SWITCH, OTHER, percent=60))
    response = page.get(f"{reverse('models:list')}?seen={seen}", headers={"HX-Request": "true"})
    assert response["HX-Reswap"] == "none"
    assert f"Loading {OTHER}: 60 %." in response.content.decode()


def test_choosing_a_model_calls_the_supervisor(
    page: Client, say: Say, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    say(ModelReport(Step.IN_USE, model=OTHER))
    with django_capture_on_commit_callbacks(execute=True):
        response = page.post(reverse("models:use"), {"model": SMALL}, follow=True)
    assert f"{SMALL} is chosen. Readahead changes to it now." in response.content.decode()
    choice = ModelChoice.current()
    assert choice is not None
    assert choice.model_id == SMALL
    assert heard(django_settings.RUN_DIR / CHOICE)


def test_the_command_chooses_and_returns(say: Say, django_capture_on_commit_callbacks: Callable[..., Any]) -> None:
    say(ModelReport(Step.IN_USE, model=OTHER))
    out = io.StringIO()
    with django_capture_on_commit_callbacks(execute=True):
        call_command("models", "activate", SMALL, "--json", stdout=out)
    (row,) = json.loads(out.getvalue())["models"]
    assert (row["active"], row["message"]) == (True, "chosen; Readahead changes to it now")
    assert heard(django_settings.RUN_DIR / CHOICE)


def test_a_model_that_may_come_back_is_not_deleted(page: Client, say: Say, models_dir: Path) -> None:
    ModelChoice.choose(SMALL)
    say(ModelReport(Step.LOADING, Purpose.SWITCH, SMALL, previous=OTHER))
    response = page.post(reverse("models:delete"), {"model": OTHER}, follow=True)
    assert "is kept while the model is being changed" in response.content.decode()
    with pytest.raises(CommandError, match="is kept while the model is being changed"):
        call_command("models", "delete", OTHER)
    assert (models_dir / find(OTHER).file).exists()


def test_the_choice_goes_back_unless_there_is_a_newer_one() -> None:
    own = Target("own", "/models/own.gguf")
    ModelChoice.choose("own", "/models/own.gguf")
    assert put_back(own, Target(SMALL, "/models/any.gguf"))
    choice = ModelChoice.current()
    assert choice is not None
    assert (choice.model_id, choice.path) == (SMALL, "")
    assert not put_back(own, Target(OTHER, ""))
    assert put_back(Target(SMALL, "/models/any.gguf"), own)
    choice.refresh_from_db()
    assert (choice.model_id, choice.path) == ("own", "/models/own.gguf")
