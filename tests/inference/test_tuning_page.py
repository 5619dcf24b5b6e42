"""How a model runs, as a person sees and changes it on the models page."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from inference import views as page_views
from inference.catalogue import find
from inference.contracts import EngineState, Health
from inference.downloads import service
from inference.downloads.bell import heard
from inference.engine.budget import GIB
from inference.engine.machine import Machine
from inference.engine.plan import EXACT, Flags
from inference.fetch import stamp
from inference.fitting import estimated_costs
from inference.models import Measurement, ModelChoice, ModelSettings
from inference.probe import store as probes
from inference.probe.rows import Row
from inference.supervise import status
from inference.switching.bells import CHOICE
from inference.switching.machine import Target
from inference.tuning import measuring, views
from inference.tuning import service as tuning
from inference.tuning.overrides import Overrides
from inference.tuning.store import all_overrides, model_here, options_of, overrides_of, put, put_back
from tests.inference.gguf_files import write_gguf

pytestmark = pytest.mark.django_db

SMALL, OTHER = "smollm2-135m", "qwen2.5-coder-0.5b"
ACTIONS = ["settings-save", "settings-reset", "measure", "measure-stop"]
State = Measurement.State


@pytest.fixture(autouse=True)
def models_dir(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    settings.MODELS_DIR, settings.RUN_DIR = folder, tmp_path
    monkeypatch.delenv("READAHEAD_MODEL", raising=False)
    monkeypatch.setattr(tuning, "threads_at_most", lambda: 2)
    monkeypatch.setattr(tuning, "supports_gpu", lambda: False)
    write_gguf(folder / find(SMALL).file, llama__context_length=8192)
    ModelChoice.choose(SMALL)
    return folder


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """A machine of 24 GB; call it to have another."""

    def have(gigabytes: float) -> None:
        here = Machine(int(gigabytes * GIB), int(gigabytes * GIB), cores=2)
        for module in (page_views, views, tuning, measuring):
            monkeypatch.setattr(module, "this_machine", lambda: here)

    have(24)
    return have


@pytest.fixture(autouse=True)
def engine(monkeypatch: pytest.MonkeyPatch) -> None:
    health = Health(EngineState.NOT_LOADED, message="Readahead is not running.")
    monkeypatch.setattr("inference.gateway.health", lambda: health)


@pytest.fixture
def page(client: Client) -> Client:
    client.force_login(User.objects.create_user("anna", is_staff=True))
    return client


def panel(page: Client, model: str = SMALL, **headers: str) -> str:
    reply = page.get(reverse("models:settings"), {"model": model}, headers=headers)
    return " ".join(reply.content.decode().split())


def card(page: Client) -> str:
    text = " ".join(page.get(reverse("models:list")).content.decode().split())
    return text.partition(f'<h2 class="model-name">{SMALL}')[2].partition("</li>")[0]


def post(page: Client, action: str, **data: str) -> str:
    reply = page.post(reverse(f"models:{action}"), {"model": SMALL, **data}, follow=True)
    return " ".join(reply.content.decode().split())


def keep_measurement(models_dir: Path, threads: int = 2) -> None:
    costs = estimated_costs(10**8, 23_040, 8192)
    rows = [Row(EXACT, costs, 312.4, 61.2), Row(Flags("q8_0", "q8_0", True), costs, 250.1, 50.3)]
    key = probes.probe_key(stamp.checksum(models_dir / find(SMALL).file), threads)
    probes.save(models_dir / "probes", key, rows)


def test_the_card_of_a_model_that_is_here_opens_its_panel(page: Client) -> None:
    text = card(page)
    assert "How it runs" in text
    assert f'href="{reverse("models:settings")}?model={SMALL}"' in text
    assert page.get(reverse("models:list")).content.decode().count("How it runs") == 1


def test_the_panel_shows_what_is_automatic_and_that_nothing_is_measured(page: Client) -> None:
    text = panel(page)
    for words in (
        "automatic: <strong>8,192 tokens</strong>. The window holds 8,192 tokens: the model was made for no more.",
        "automatic: <strong>f16</strong>",
        "automatic: <strong>off</strong>",
        "automatic: <strong>2</strong>. One for each core",
        "not measured yet",
        "Measure this model on this machine",
    ):
        assert words in text
    assert "graphics card" not in text
    assert "Make all automatic" not in text


def test_with_htmx_it_is_a_part_and_else_a_page(page: Client) -> None:
    assert "<html" in panel(page)
    part = panel(page, **{"HX-Request": "true"})
    assert "<html" not in part
    assert 'name="window"' in part


def test_layers_are_offered_where_the_library_has_a_card(page: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tuning, "supports_gpu", lambda: True)
    assert "Layers on the graphics card" in panel(page)
    post(page, "settings-save", gpu_layers="12")
    assert overrides_of(SMALL).gpu_layers == 12


def test_what_was_measured_is_beside_each_choice_and_in_a_table(page: Client, models_dir: Path) -> None:
    keep_measurement(models_dir)
    text = panel(page)
    assert "23,040 bytes a token · window 8,192 · reads 312 and writes 61 tokens a second" in text
    assert '<th scope="row">f16/f16 *</th><td>plain</td><td>23,040</td><td>312.4/s</td><td>61.2/s</td>' in text
    assert "Measure again" in text
    assert "reads 312 and writes 61 tokens a second" in card(page)


def test_what_is_set_is_stored_shown_and_handed_to_the_next_start(page: Client, models_dir: Path) -> None:
    said = post(page, "settings-save", window="4100", kv="q8_0", flash_attention="on", threads="1", conversations="1")
    assert f"Set, from the next start of {SMALL} on." in said
    assert "It runs with q8_0 keys and q8_0 values, flash attention on; the window holds 4,096 tokens" in said
    model = model_here(SMALL)
    assert options_of(model) == (
        *("--window", "4096", "--type-k", "q8_0", "--flash-attention", "on"),
        *("--threads", "1", "--conversations", "1"),
    )
    assert "window 4,096 · q8_0 · flash attention on · 1 thread · 1 at once" in card(page)
    text = panel(page)
    assert 'name="window" value="4096"' in text
    assert 'value="q8_0" checked' in text
    assert "Make all automatic" in text
    assert "automatic again" in post(page, "settings-reset")
    assert not ModelSettings.objects.exists()
    assert options_of(model) == ()


def test_nonsense_is_refused_and_changes_nothing(page: Client) -> None:
    post(page, "settings-save", window="4096")
    assert "is no window in tokens" in post(page, "settings-save", window="huge")
    assert "3 threads are more than this machine computes at once: it has 2" in post(page, "settings-save", threads="3")
    assert overrides_of(SMALL) == Overrides(window=4096)


def test_a_window_beyond_the_model_is_taken_and_what_comes_of_it_is_said(page: Client) -> None:
    said = post(page, "settings-save", window="100000")
    assert "The window holds 8,192 tokens: the model was made for no more." in said


def test_quantized_values_without_flash_attention_are_said_not_to_be_had(page: Client) -> None:
    said = post(page, "settings-save", kv="q4_0", flash_attention="off")
    assert "Quantized values need flash attention, which is off: the keys alone are q4_0." in said


def test_settings_under_which_the_model_cannot_run_are_refused(page: Client, machine: Callable[[float], None]) -> None:
    machine(1)
    assert "needs at least" in post(page, "settings-save", conversations="4")
    assert not ModelSettings.objects.exists()


def test_what_fits_follows_what_is_set(page: Client) -> None:
    put(SMALL, Overrides(window=2048))
    assert "fits, window 2,048 tokens" in card(page)


def test_setting_the_model_in_use_starts_it_anew(
    page: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    monkeypatch.setattr(tuning, "model_report", lambda _run_dir: object())
    with django_capture_on_commit_callbacks(execute=True):
        assert f"Set: {SMALL} is started anew now." in post(page, "settings-save", window="4096")
    assert heard(tmp_path / CHOICE)
    with django_capture_on_commit_callbacks() as calls:
        assert "That is how it was set already." in post(page, "settings-save", window="4096")
    assert calls == []


def test_setting_another_model_restarts_nothing(
    tmp_path: Path, models_dir: Path, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        assert put(OTHER, Overrides(window=4096)) is True
    assert not heard(tmp_path / CHOICE)


def test_settings_under_which_a_model_did_not_start_are_put_back() -> None:
    before, after = Overrides(window=4096), Overrides(window=8192, kv="q8_0")
    put(SMALL, after)
    failed, previous = Target(SMALL, "/m", after.words), Target(SMALL, "/m", before.words)
    assert put_back(failed, previous) is True
    assert overrides_of(SMALL) == before
    assert put_back(failed, previous) is False  # set anew meanwhile
    assert put_back(failed, Target(OTHER, "/o")) is False
    assert put_back(Target(SMALL, "/m", before.words), Target(SMALL, "/m", ("--nonsense", "1"))) is False
    assert put_back(Target(SMALL, "/m", before.words), Target(SMALL, "/m")) is True
    assert all_overrides() == {}


def test_a_measurement_is_asked_for_shown_while_it_goes_and_stopped(page: Client) -> None:
    assert f"{SMALL} is being measured" in post(page, "measure")
    assert "in line" in card(page)
    Measurement.objects.update(state=State.MEASURING, done=3, total=10, worker="1:1")
    text = card(page)
    for words in ("being measured", "3 of 10 runs", 'value="30"', "Stop measuring"):
        assert words in text
    assert "Nothing is fetched or measured at the moment" in page.get(reverse("models:list")).content.decode()
    assert "Measure this model" not in panel(page)
    assert "Stopped." in post(page, "measure-stop")
    assert "had ended already" in post(page, "measure-stop")
    assert "being measured" not in card(page)


def test_why_a_measurement_waits_or_failed_is_said(page: Client) -> None:
    measuring.request(SMALL)
    Measurement.objects.update(state=State.MEASURING, note="Waits until the question under way is answered.")
    assert "Waits until the question" in card(page)
    Measurement.objects.update(state=State.FAILED, note="", error="Out of memory.")
    assert "could not be measured" in card(page)
    assert "Out of memory." in card(page)
    assert "Measure this model" in panel(page)


def test_while_it_is_measured_only_the_bar_is_sent(page: Client) -> None:
    measuring.request(SMALL)
    Measurement.objects.update(state=State.MEASURING, done=1, total=10)
    seen = page.get(reverse("models:list")).content.decode().partition("?seen=")[2].partition('"')[0]
    Measurement.objects.update(done=4)
    reply = page.get(f"{reverse('models:list')}?seen={seen}", headers={"HX-Request": "true"})
    assert reply["HX-Reswap"] == "none"
    assert "4 of 10 runs" in reply.content.decode()
    Measurement.objects.update(state=State.DONE)
    assert "HX-Reswap" not in page.get(f"{reverse('models:list')}?seen={seen}", headers={"HX-Request": "true"})


def test_a_model_that_is_not_here_has_no_panel(page: Client) -> None:
    for model in (OTHER, "never-heard-of", ""):
        assert page.get(reverse("models:settings"), {"model": model}).status_code == 302
        assert page.post(reverse("models:settings-save"), {"model": model}).status_code == 302
    assert not ModelSettings.objects.exists()


def test_a_damaged_file_says_so_in_the_place_of_its_panel(page: Client, models_dir: Path) -> None:
    path = write_gguf(models_dir / "own<b>.gguf")
    path.write_bytes(path.read_bytes()[:-1])
    part = panel(page, "own<b>", **{"HX-Request": "true"})
    assert part.startswith('<p class="model-error">own&lt;b&gt;.gguf is incomplete')
    assert (
        "own&lt;b&gt;.gguf is incomplete"
        in page.get(reverse("models:settings"), {"model": "own<b>"}, follow=True).content.decode()
    )
    assert (
        "is incomplete"
        in page.post(reverse("models:settings-save"), {"model": "own<b>", "threads": "1"}, follow=True).content.decode()
    )


def test_what_is_set_and_measured_goes_with_the_models_file(models_dir: Path) -> None:
    write_gguf(models_dir / "own.gguf")
    put("own", Overrides(threads=1))
    measuring.request("own")
    service.remove("own", "")
    assert overrides_of("own") == Overrides()
    assert not Measurement.objects.exists()


def test_making_all_automatic_leaves_a_measurement_alone(page: Client) -> None:
    put(SMALL, Overrides(threads=1))
    measuring.request(SMALL)
    post(page, "settings-reset")
    assert Measurement.objects.get().state == State.WAITING


def test_who_is_no_administrator_looks_and_changes_nothing(client: Client) -> None:
    client.force_login(User.objects.create_user("otto"))
    text = panel(client).partition("<main")[2]
    assert "automatic: <strong>8,192 tokens</strong>" in text
    assert "<button" not in text
    for action in ACTIONS:
        assert client.post(reverse(f"models:{action}"), {"model": SMALL}).status_code == 403


@pytest.mark.parametrize("action", ACTIONS)
def test_actions_are_not_taken_by_looking(page: Client, action: str) -> None:
    assert page.get(reverse(f"models:{action}")).status_code == 405


def test_no_supervisor_runs_here(tmp_path: Path) -> None:
    """What the tests about a next start rest on."""
    assert status.read(tmp_path) is None
