"""The models page, as a person without a terminal sees it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from inference import views
from inference.catalogue import find
from inference.contracts import EngineState, Health
from inference.downloads import service
from inference.engine.budget import GIB
from inference.engine.machine import Machine
from inference.engine.plan import EXACT
from inference.fetch import stamp
from inference.fitting import estimated_costs
from inference.models import Download, ModelChoice
from inference.probe import store
from inference.probe.rows import Row
from tests.inference.gguf_files import write_gguf

pytestmark = pytest.mark.django_db

SMALL, OTHER = "smollm2-135m", "qwen2.5-coder-0.5b"
State = Download.State
ACTIONS = ["fetch", "use", "delete", "import-address", "import-file"]


@pytest.fixture(autouse=True)
def models_dir(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    settings.MODELS_DIR = folder
    monkeypatch.delenv("READAHEAD_MODEL", raising=False)
    return folder


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """A machine of 24 GB; call it to have another."""

    def have(gigabytes: int) -> None:
        here = Machine(gigabytes * GIB, gigabytes * GIB, cores=2)
        monkeypatch.setattr(views, "this_machine", lambda: here)

    have(24)
    return have


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> Callable[[Health], None]:
    """No model service runs; call it to have one."""

    def say(health: Health) -> None:
        monkeypatch.setattr("inference.gateway.health", lambda: health)

    say(Health(EngineState.NOT_LOADED, message="Readahead is not running."))
    return say


@pytest.fixture
def page(client: Client) -> Client:
    client.force_login(User.objects.create_user("anna", is_staff=True))
    return client


def shown(page: Client, **headers: str) -> str:
    return " ".join(page.get(reverse("models:list"), headers=headers).content.decode().split())


def card(page: Client, model: str) -> str:
    """Return the part of the page about a model."""
    rest = shown(page).partition(f'<h2 class="model-name">{model}')[2]
    return rest.partition("</li>")[0]


def post(page: Client, action: str, *args: int, **data: str) -> str:
    return page.post(reverse(f"models:{action}", args=args), data, follow=True).content.decode()


def on_its_way(state: Download.State, **fields: Any) -> Download:
    values = {"kind": Download.Kind.CATALOGUE, "bytes_total": 98_362_432, **fields}
    return Download.objects.create(file=find(SMALL).file, state=state, **values)


def test_each_model_of_the_catalogue_has_size_license_and_what_fits(page: Client) -> None:
    text = card(page, "qwen2.5-coder-1.5b")
    for words in ("1.12 GB", "Apache-2.0", "fits, window 16,384 tokens", ">Fetch<"):
        assert words in text


def test_a_model_beyond_this_machine_says_what_it_needs(page: Client, machine: Callable[[int], None]) -> None:
    machine(4)
    assert "needs at least 7 GB of memory; this machine has 4" in card(page, "qwen3-4b-instruct")


def test_the_speed_is_shown_once_it_was_measured(page: Client, models_dir: Path) -> None:
    path = write_gguf(models_dir / find(SMALL).file)
    assert "tokens a second" not in card(page, SMALL)
    rows = [Row(EXACT, estimated_costs(10**8, 23_040, 8192), 312.4, 61.2)]
    store.save(models_dir / "probes", store.probe_key(stamp.checksum(path), 2), rows)
    assert "reads 312 and writes 61 tokens a second" in card(page, SMALL)


def test_the_model_that_answers_is_marked_with_its_window(page: Client, engine: Callable[[Health], None]) -> None:
    engine(Health(EngineState.READY, model=SMALL, window=8192, notes=("Memory is tight.",)))
    assert "in use" in card(page, SMALL)
    text = shown(page)
    assert "window 8,192 tokens" in text
    assert "Memory is tight." in text


def test_a_model_that_is_loading_shows_how_far_and_the_page_asks_again(
    page: Client, engine: Callable[[Health], None]
) -> None:
    engine(Health(EngineState.LOADING, model=SMALL, progress=0.4))
    text = shown(page)
    assert 'value="40"' in text
    assert 'hx-trigger="every 2s"' in text


def test_a_page_on_which_nothing_moves_does_not_ask_again(page: Client) -> None:
    assert "every 2s" not in shown(page)
    assert page.get(reverse("models:list"), headers={"HX-Request": "true"}).status_code == 286


def test_fetching_shows_bytes_speed_and_time_left(page: Client) -> None:
    on_its_way(State.FETCHING, bytes_done=24_590_608, speed=2e6, eta_s=37.0, source="Python packages")
    text = card(page, SMALL)
    for words in ("24.6 MB of 98.4 MB", "2.00 MB/s", "37 s left", "from Python packages", 'value="25"', ">Cancel<"):
        assert words in text
    assert ">Fetch<" not in text


def test_where_nobody_fetches_that_is_said(page: Client) -> None:
    assert "Nothing is fetched or measured at the moment" not in shown(page)
    on_its_way(State.WAITING)
    assert "Nothing is fetched or measured at the moment" in shown(page)


def test_a_rate_limit_says_when_it_goes_on(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    on_its_way(State.LIMITED, until=timezone.now() + timedelta(seconds=725.5), note="rate-limited")
    assert "(in 12 min 05 s)" in card(page, SMALL)
    assert "rate-limited, goes on at " in card(page, SMALL)


def test_while_only_figures_change_only_the_bars_are_sent(page: Client) -> None:
    row = on_its_way(State.FETCHING, bytes_done=1)
    seen = shown(page).partition("?seen=")[2].partition('"')[0]
    address = f"{reverse('models:list')}?seen={seen}"
    Download.objects.update(bytes_done=50_000_000)
    response = page.get(address, headers={"HX-Request": "true"})
    assert response["HX-Reswap"] == "none"
    assert f'id="way-{row.pk}" hx-swap-oob="true"' in response.content.decode()
    assert "<button" not in response.content.decode()
    service.cancel(row.pk)
    response = page.get(address, headers={"HX-Request": "true"})
    assert (response.status_code, "HX-Reswap" in response) == (286, False)


def test_a_failure_says_why_and_offers_to_try_again(page: Client) -> None:
    row = on_its_way(State.FAILED, error="The disk is full.")
    assert "The disk is full." in card(page, SMALL)
    assert ">Try again<" in card(page, SMALL)
    assert "It goes on." in post(page, "retry", row.pk)
    row.refresh_from_db()
    assert row.state == State.WAITING


def test_fetch_cancel_go_on_and_drop_work_as_plain_forms(page: Client, models_dir: Path) -> None:
    assert f"{SMALL} is being fetched" in post(page, "fetch", model=SMALL)
    row = Download.objects.get()
    assert "in line" in card(page, SMALL)
    assert "What has arrived is kept" in post(page, "cancel", row.pk)
    assert ">Go on<" in card(page, SMALL)
    part = models_dir / f"{find(SMALL).file}.part"
    part.write_bytes(b"GGUF")
    assert "is deleted" in post(page, "drop", row.pk)
    assert not part.exists()
    assert ">Fetch<" in card(page, SMALL)
    assert "had ended already" in post(page, "cancel", row.pk)


def test_a_file_of_ones_own_is_taken_in_by_its_path(page: Client, tmp_path: Path) -> None:
    own = write_gguf(tmp_path / "own.gguf")
    assert "checked and taken in" in post(page, "import-file", path=str(own))
    assert "own.gguf" in shown(page)


def test_an_address_that_is_none_is_refused_in_a_sentence(page: Client) -> None:
    assert "begins with https://" in post(page, "import-address", address="ftp://x/a.gguf")


def test_the_key_in_an_address_is_not_shown(page: Client) -> None:
    post(page, "import-address", address="https://x.example/own.gguf?signature=secret")
    assert "https://x.example/own.gguf" in shown(page)
    assert "secret" not in shown(page)


def test_choosing_a_model_stores_it_and_says_when_it_acts(
    page: Client, models_dir: Path, engine: Callable[[Health], None]
) -> None:
    write_gguf(models_dir / find(SMALL).file)
    engine(Health(EngineState.READY, model=OTHER))
    assert "from its next start" in post(page, "use", model=SMALL)
    choice = ModelChoice.current()
    assert choice is not None
    assert choice.model_id == SMALL
    assert f"<strong>{SMALL} is chosen.</strong>" in shown(page)
    assert ">Use this model<" not in card(page, SMALL)


def test_a_model_that_does_not_fit_cannot_be_chosen(
    page: Client, models_dir: Path, machine: Callable[[int], None]
) -> None:
    write_gguf(models_dir / find(SMALL).file)
    machine(1)
    assert ">Use this model<" not in card(page, SMALL)
    assert "needs at least" in post(page, "use", model=SMALL)
    assert ModelChoice.current() is None


def test_a_damaged_file_cannot_be_chosen_and_says_why(page: Client, models_dir: Path) -> None:
    path = write_gguf(models_dir / "own.gguf")
    path.write_bytes(path.read_bytes()[:-1])
    assert "own.gguf is incomplete" in card(page, "own")
    assert ">Use this model<" not in card(page, "own")


def test_a_setting_that_decides_is_said(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("READAHEAD_MODEL", SMALL)
    assert "READAHEAD_MODEL decides" in shown(page)


def test_a_chosen_file_that_is_gone_does_not_take_the_page_along(page: Client) -> None:
    ModelChoice.choose("gone", "/nowhere/gone.gguf")
    assert "The file is gone." in card(page, "gone")
    ModelChoice.choose("never-heard-of")
    assert "qwen2.5-coder-1.5b" in shown(page)


def test_deleting_asks_first(page: Client, models_dir: Path) -> None:
    path = write_gguf(models_dir / "own.gguf")
    asked = page.get(reverse("models:delete"), {"model": "own"}).content.decode()
    assert "Delete own?" in asked
    assert path.exists()
    assert "own is deleted" in post(page, "delete", model="own")
    assert not path.exists()


def test_the_model_in_use_offers_no_deleting(page: Client, models_dir: Path, engine: Callable[[Health], None]) -> None:
    path = write_gguf(models_dir / find(SMALL).file)
    engine(Health(EngineState.READY, model=SMALL))
    assert "Delete" not in card(page, SMALL)
    assert "is in use" in post(page, "delete", model=SMALL)
    assert path.exists()


def test_who_is_no_administrator_looks_and_changes_nothing(client: Client) -> None:
    client.force_login(User.objects.create_user("otto"))
    row = on_its_way(State.FAILED)
    text = shown(client)
    assert "fits, window" in text
    assert "<button" not in text.partition("<main")[2]
    for action in ACTIONS:
        assert client.post(reverse(f"models:{action}"), {"model": SMALL}).status_code == 403
    for action in ("cancel", "retry", "drop"):
        assert client.post(reverse(f"models:{action}", args=[row.pk])).status_code == 403
    assert client.get(reverse("models:delete"), {"model": SMALL}).status_code == 403


def test_a_visitor_is_asked_to_sign_in(client: Client) -> None:
    assert client.get(reverse("models:list"), headers={"host": "docs.example"}).status_code in (302, 400)


@pytest.mark.parametrize("action", [*ACTIONS[:2], *ACTIONS[3:]])
def test_actions_are_not_taken_by_looking(page: Client, action: str) -> None:
    assert page.get(reverse(f"models:{action}")).status_code == 405
