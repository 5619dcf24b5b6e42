"""`manage.py models`, as somebody who scripts it sees it."""

from __future__ import annotations

import hashlib
import io
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from inference.catalogue import DEFAULT_MODEL, find
from inference.engine.budget import GIB
from inference.engine.machine import Machine
from inference.engine.plan import EXACT, Flags
from inference.fetch import FetchError, Note
from inference.fitting import estimated_costs
from inference.management.commands import models as command
from inference.models import ModelChoice
from inference.probe.rows import Row
from inference.tuning import measuring
from inference.tuning import service as tuning
from inference.tuning.store import overrides_of
from tests.inference.gguf_files import write_gguf
from tests.inference.hub import serve_hub

pytestmark = pytest.mark.django_db

KEYS = ["id", "name", "state", "active", "bytes", "sha256", "license", "window", "kv", "fits", "message"]


@pytest.fixture(autouse=True)
def models_dir(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    settings.MODELS_DIR = folder
    monkeypatch.delenv("READAHEAD_MODEL", raising=False)
    return folder


def models(*arguments: str) -> list[dict[str, Any]]:
    out = io.StringIO()
    call_command("models", *arguments, "--json", stdout=out, stderr=io.StringIO())
    rows: list[dict[str, Any]] = json.loads(out.getvalue())["models"]
    return rows


def put(folder: Path, model_id: str) -> None:
    write_gguf(folder / find(model_id).file)


def test_list_has_every_key_of_every_model() -> None:
    rows = models("list")
    assert all(list(row) == KEYS for row in rows)
    assert [row["id"] for row in rows if row["active"]] == [DEFAULT_MODEL]


def test_list_without_json_marks_the_active_one() -> None:
    out = io.StringIO()
    call_command("models", "list", stdout=out)
    marked = [line for line in out.getvalue().splitlines() if line.startswith("*")]
    assert len(marked) == 1
    assert DEFAULT_MODEL in marked[0]


def test_list_shows_an_active_file_from_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = tmp_path / "elsewhere.gguf"
    elsewhere.write_bytes(b"GGUF")
    monkeypatch.setenv("READAHEAD_MODEL", str(elsewhere))
    assert [row["name"] for row in models("list") if row["active"]] == ["elsewhere.gguf"]


def test_activate_is_remembered(models_dir: Path) -> None:
    put(models_dir, "smollm2-135m")
    assert models("activate", "smollm2-135m")[0]["active"] is True
    choice = ModelChoice.current()
    assert choice is not None
    assert (choice.model_id, choice.path) == ("smollm2-135m", "")


def test_activate_says_when_the_environment_wins(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(models_dir, "smollm2-135m")
    monkeypatch.setenv("READAHEAD_MODEL", DEFAULT_MODEL)
    (row,) = models("activate", "smollm2-135m")
    assert row["active"] is False
    assert "READAHEAD_MODEL" in row["message"]


def test_a_model_that_is_not_there_cannot_be_activated() -> None:
    with pytest.raises(CommandError, match="models install smollm2-135m"):
        models("activate", "smollm2-135m")
    assert ModelChoice.current() is None


def test_import_and_activate_a_file_of_ones_own(tmp_path: Path) -> None:
    own = write_gguf(tmp_path / "mine.gguf")
    (imported,) = models("import", str(own))
    assert (imported["id"], imported["state"], imported["active"]) == ("mine", "installed", False)
    assert len(imported["sha256"]) == 64
    assert models("activate", "mine")[0]["active"] is True


def test_a_file_that_cannot_be_used_is_not_activated_and_the_choice_stays(models_dir: Path) -> None:
    put(models_dir, "qwen2.5-coder-0.5b")
    models("activate", "qwen2.5-coder-0.5b")
    whole = write_gguf(models_dir / "damaged.gguf").read_bytes()
    (models_dir / "damaged.gguf").write_bytes(whole[:-1])
    with pytest.raises(CommandError, match=r"damaged\.gguf is incomplete"):
        models("activate", "damaged")
    choice = ModelChoice.current()
    assert choice is not None
    assert choice.model_id == "qwen2.5-coder-0.5b"


def test_a_model_beyond_this_machine_is_listed_as_such_and_not_activated(
    models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(models_dir, "smollm2-135m")
    monkeypatch.setattr(command, "this_machine", lambda: Machine(total=GIB, available=GIB, cores=1))
    assert {row["fits"] for row in models("list")} == {False}
    with pytest.raises(CommandError, match="needs at least"):
        models("activate", "smollm2-135m")
    assert ModelChoice.current() is None


def test_probe_keeps_what_it_measured_and_says_what_it_chose(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(models_dir, "smollm2-135m")
    costs = estimated_costs(10**8, 23_040, 8192)
    measured = [Row(EXACT, error="cannot be had"), Row(Flags("q8_0", "q8_0", True), costs, 300, 60)]
    monkeypatch.setattr(measuring, "run_probe", lambda *_: measured)
    out = io.StringIO()
    call_command("models", "probe", "smollm2-135m", "--json", stdout=out, stderr=io.StringIO())
    answer = json.loads(out.getvalue())
    assert [row["chosen"] for row in answer["probe"]["rows"]] == [False, True]
    (row,) = answer["models"]
    assert (row["kv"], row["window"], row["fits"]) == ("q8_0", 8192, True)
    listed = next(row for row in models("list") if row["id"] == "smollm2-135m")
    assert listed["kv"] == "q8_0"


def test_a_model_that_is_not_there_cannot_be_probed() -> None:
    with pytest.raises(CommandError, match="models install smollm2-135m"):
        models("probe", "smollm2-135m")


def settings_of(*arguments: str) -> dict[str, Any]:
    out = io.StringIO()
    call_command("models", "settings", "smollm2-135m", *arguments, "--json", stdout=out)
    answer: dict[str, Any] = json.loads(out.getvalue())["settings"]
    return answer


def test_settings_are_shown_set_one_by_one_and_made_automatic(
    models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tuning, "supports_gpu", lambda: False)
    put(models_dir, "smollm2-135m")
    shown = settings_of()
    assert (shown["window"], shown["kv"], shown["flash_attention"], shown["threads"]) == (None, None, None, None)
    assert "It runs with f16 keys and f16 values" in shown["message"]
    first = settings_of("--kv", "q8_0", "--conversations", "1")
    assert (first["kv"], first["conversations"]) == ("q8_0", 1)
    assert "Set, from the next start" in first["message"]
    second = settings_of("--kv", "auto", "--flash-attention", "on")
    assert (second["kv"], second["conversations"], second["flash_attention"]) == (None, 1, True)
    third = settings_of("--automatic", "--threads", "1")
    assert (third["conversations"], third["threads"]) == (None, 1)
    assert overrides_of("smollm2-135m").words == ("--threads", "1")


@pytest.mark.parametrize(
    ("words", "said"),
    [(("--window", "12"), "at least 2,048"), (("--kv", "q3"), "no choice"), (("--threads", "9999"), "at once")],
    ids=["window", "kv", "threads"],
)
def test_settings_that_make_no_sense_are_the_commands_error(
    models_dir: Path, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr(tuning, "supports_gpu", lambda: False)
    put(models_dir, "smollm2-135m")
    with pytest.raises(CommandError, match=said):
        settings_of(*words)
    assert overrides_of("smollm2-135m").words == ()


def test_install_reports_on_stderr_and_answers_on_stdout(models_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fake(entry: Any, folder: Path, report: Any) -> None:
        report(Note("hello"))
        put(folder, entry.id)

    monkeypatch.setattr(command, "ensure_installed", fake)
    out, err = io.StringIO(), io.StringIO()
    call_command("models", "install", "smollm2-135m", "--json", stdout=out, stderr=err)
    assert json.loads(out.getvalue())["models"][0]["state"] == "installed"
    assert err.getvalue() == "smollm2-135m: hello\n"


def test_ctrl_c_says_that_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(command, "ensure_installed", stop)
    with pytest.raises(CommandError, match="is kept") as caught:
        models("install", "smollm2-135m")
    assert caught.value.returncode == 130


def test_a_failed_install_is_the_commands_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise FetchError("No network.")

    monkeypatch.setattr(command, "ensure_installed", fail)
    with pytest.raises(CommandError, match="No network"):
        models("install", "smollm2-135m")


def test_import_by_address_checks_the_sum_that_is_given(models_dir: Path, tmp_path: Path) -> None:
    content = write_gguf(tmp_path / "mine.gguf").read_bytes()
    with serve_hub(content) as hub:
        address = f"{hub.endpoint}/mine.gguf"
        with pytest.raises(CommandError, match="wrong checksum"):
            models("import", address, "--sha256", "ab" * 32)
        (row,) = models("import", address, "--sha256", hashlib.sha256(content).hexdigest())
    assert (row["id"], row["state"]) == ("mine", "installed")
    assert (models_dir / "mine.gguf").read_bytes() == content


def test_delete_takes_the_file_and_an_interrupted_fetch(models_dir: Path) -> None:
    put(models_dir, "smollm2-135m")
    (row,) = models("delete", "smollm2-135m")
    assert (row["state"], row["message"]) == ("available", "deleted")
    (models_dir / (find("smollm2-135m").file + ".part")).write_bytes(b"GGUF")
    assert models("delete", "smollm2-135m")[0]["state"] == "available"
    assert [path.name for path in models_dir.glob("*.gguf*") if path.suffix != ".lock"] == []


def test_the_active_model_is_not_deleted(models_dir: Path) -> None:
    put(models_dir, DEFAULT_MODEL)
    with pytest.raises(CommandError, match="is in use"):
        models("delete", DEFAULT_MODEL)
    assert (models_dir / find(DEFAULT_MODEL).file).exists()


@pytest.mark.parametrize(
    "arguments", [("install", "gpt-9"), ("activate", "gpt-9"), ("import", "/nowhere.gguf"), ("delete", "gpt-9")]
)
def test_what_does_not_exist_is_an_error(arguments: tuple[str, ...]) -> None:
    with pytest.raises(CommandError):
        models(*arguments)
