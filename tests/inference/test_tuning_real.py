"""Settings of the model in use, on a whole installation: it is started anew under them, and says how it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from inference import endpoint
from inference.contracts import EngineState, Health
from inference.supervise.processes import Mark, find
from inference.switching.look import Service
from tests import stack
from tests.inference.engine.conftest import model_file

pytestmark = [pytest.mark.engine, pytest.mark.slow, pytest.mark.timeout(600)]

SMALL = "smollm2-135m"


def health(home: Path) -> Health | None:
    """What the service says of itself at the moment."""
    where = endpoint.read(home / "run")
    return Service(home / "run").health(where.pid) if where else None


def runs_with(home: Path, window: int) -> bool:
    said = health(home)
    return said is not None and said.state is EngineState.READY and said.window == window


def change(home: Path, *words: str) -> str:
    """Set something and return what the command says of it."""
    answer: dict[str, Any] = json.loads(stack.manage(home, "models", "settings", SMALL, *words, "--json"))
    return str(answer["settings"]["message"])


def test_the_model_in_use_is_started_anew_under_what_is_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    monkeypatch.setenv("READAHEAD_MODELS", str(model_file(SMALL).parent))
    monkeypatch.setenv("READAHEAD_EMBEDDINGS", "off")
    monkeypatch.delenv("READAHEAD_MODEL", raising=False)
    stack.manage(home, "migrate")
    stack.manage(home, "models", "activate", SMALL)
    assert "from the next start" in change(home, "--window", "4096")
    with stack.running(home, ["up"]):
        stack.wait_for(lambda: runs_with(home, 4096), "it runs with what was set before")

        said = change(home, "--window", "2048", "--kv", "q8_0", "--flash-attention", "off")
        assert f"Set: {SMALL} is started anew now." in said
        stack.wait_for(lambda: runs_with(home, 2048), "it runs with what is set")
        told = health(home)
        assert told is not None
        assert told.notes[0] == "Quantized values need flash attention, which is off: the keys alone are q8_0."

        assert "Set:" in change(home, "--automatic", "--window", "1000000")
        stack.wait_for(lambda: runs_with(home, 8192), "a window beyond the model is cut to the model's")
        told = health(home)
        assert told is not None
        assert told.notes[0] == "The window holds 8,192 tokens: the model was made for no more."
        assert len(find(Mark(home / "run", child="inference"))) == 1
    assert find(Mark(home / "run")) == []
