"""An embedding model is loaded once and aside, says how it is, and gives an error instead of vectors that are none."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from inference import embeddings
from inference.contracts import EngineState
from inference.embeddings import EmbeddingFailed, EmbeddingHealth, embedder, places, published
from inference.embeddings.encoder import Encoder
from inference.embeddings.fake import FakeEncoder
from inference.embeddings.model import Embedder
from inference.embeddings.vectors import checked, mean_of_groups
from inference.embeddings.windows import windows


def _held(gate: threading.Event, loads: list[str]) -> Callable[[], Encoder]:
    def load() -> Encoder:
        loads.append("load")
        gate.wait(30)
        return FakeEncoder(dim=8)

    return load


def test_loading_delays_nobody_and_is_done_once(gate: threading.Event) -> None:
    loads: list[str] = []
    states: list[EngineState] = []
    model = Embedder("m", _held(gate, loads), lambda health: states.append(health.state))
    assert model.health() == EmbeddingHealth(EngineState.NOT_LOADED, "m")

    model.warm_up()
    model.warm_up()
    assert model.health() == EmbeddingHealth(EngineState.LOADING, "m")
    gate.set()

    assert model.wait()
    assert model.health() == EmbeddingHealth(EngineState.READY, "m", 8)
    assert (loads, states) == (["load"], [EngineState.LOADING, EngineState.READY])


def test_whoever_needs_vectors_waits_for_the_model(gate: threading.Event) -> None:
    model = Embedder("m", _held(gate, []))
    threading.Timer(0.01, gate.set).start()

    rows = model.embed(["The rent is 900 euros.", "The rent is 900 euros."])

    assert rows.shape == (2, 8)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)
    assert np.array_equal(rows[0], rows[1])
    assert model.embed_query("rent").shape == (1, 8)


def test_a_model_that_cannot_be_loaded_says_why_to_all_who_ask() -> None:
    def load() -> Encoder:
        raise EmbeddingFailed("The folder is empty.")

    model = Embedder("m", load)
    assert not model.wait()
    assert model.health() == EmbeddingHealth(EngineState.FAILED, "m", message="The folder is empty.")
    with pytest.raises(EmbeddingFailed, match="The folder is empty"):
        model.embed(["text"])


def test_a_fault_while_loading_does_not_leave_anybody_waiting() -> None:
    def load() -> Encoder:
        raise ZeroDivisionError

    with pytest.raises(EmbeddingFailed, match=r"m could not be loaded \(ZeroDivisionError\)"):
        Embedder("m", load).embed_query("question")


def test_a_failed_load_is_tried_again_after_a_while_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes: list[Encoder] = []

    def load() -> Encoder:
        if not outcomes:
            raise EmbeddingFailed("Not there yet.")
        return outcomes[0]

    model = Embedder("m", load)
    model.wait()
    outcomes.append(FakeEncoder())
    assert not model.wait()
    monkeypatch.setattr("inference.embeddings.model.RETRY_S", 0.0)
    assert model.wait()


@pytest.mark.parametrize(
    "rows",
    [[[1.0, float("nan")]], [[float("inf"), 1.0]], [[0.0, 0.0]], [[1.0, 0.0, 0.0]]],
    ids=["not a number", "infinite", "zero", "too long"],
)
def test_vectors_that_could_never_be_found_are_an_error(rows: Sequence[Sequence[float]]) -> None:
    with pytest.raises(EmbeddingFailed, match="Choose another model"):
        checked(rows, 1, 2)


def test_the_pieces_of_a_long_text_count_as_one() -> None:
    rows = checked([[1, 0], [0, 1], [1, 0]], 3, 2)
    assert np.allclose(mean_of_groups(rows, [2, 1]), [[0.5**0.5, 0.5**0.5], [1.0, 0.0]])


@given(st.text(max_size=60), st.text(max_size=400), st.integers(8, 60))
def test_no_character_of_a_text_is_cut_off_however_small_the_window(heading: str, text: str, limit: int) -> None:
    pieces = windows(heading, text, lambda piece: len(piece) <= limit)
    shown = pieces[0][: len(pieces[0]) - len(text)] if len(pieces) == 1 else None
    prefix = shown if shown is not None else _common_prefix(pieces)
    assert "".join(piece.removeprefix(prefix) for piece in pieces) == text
    assert all(len(piece) <= limit for piece in pieces)


def _common_prefix(pieces: Sequence[str]) -> str:
    first = pieces[0]
    for length in range(len(first), -1, -1):
        if all(piece.startswith(first[:length]) for piece in pieces):
            heading, line_end, _ = first[:length].rpartition("\n")
            return heading + line_end
    return ""


def test_a_heading_leaves_half_of_the_window_to_the_text() -> None:
    pieces = windows("H" * 500, "word " * 40, lambda piece: len(piece) <= 100)
    assert all(piece.count("H") <= 50 for piece in pieces)
    assert all(piece.count("word") >= 5 for piece in pieces)


def test_the_bundled_model_is_found_without_loading_anything(tmp_path: Path) -> None:
    before = "torch" in sys.modules
    folder = places.find_folder(places.BUNDLED, tmp_path)
    assert (folder / "model.safetensors").is_file()
    assert ("torch" in sys.modules) is before


def _model_folder(folder: Path, weights: bytes = b"w") -> Path:
    (folder / "1_Pooling").mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    (folder / "1_Pooling" / "config.json").write_text("{}")
    (folder / "model.safetensors").write_bytes(weights)
    return folder


def test_a_model_is_found_by_path_and_by_its_name_below_the_models_folder(tmp_path: Path) -> None:
    folder = _model_folder(tmp_path / "BAAI" / "bge-m3")
    assert places.find_folder(str(folder), Path("/nowhere")) == folder
    assert places.find_folder("BAAI/bge-m3", tmp_path) == folder


@pytest.mark.parametrize("name", ["BAAI/bge-m3", "no such/model/at all", "../x", "models--y"])
def test_a_model_that_is_not_on_this_machine_is_named_with_what_to_do(name: str, tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed) as failed:
        places.find_folder(name, tmp_path)
    assert f"The embedding model {name} is not on this machine. Put its folder at " in failed.value.message
    assert "READAHEAD_EMBEDDINGS" in failed.value.message


def test_a_folder_without_a_model_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(EmbeddingFailed, match="holds no embedding model"):
        places.find_folder(str(tmp_path), Path("/nowhere"))


def test_a_model_is_told_from_another_by_its_files_and_not_by_its_name(tmp_path: Path) -> None:
    one, same = _model_folder(tmp_path / "one"), _model_folder(tmp_path / "same")
    other = _model_folder(tmp_path / "other", weights=b"v")
    (same / "README.md").write_text("says nothing about vectors")
    assert places.fingerprint(one) == places.fingerprint(same)
    assert places.fingerprint(one) != places.fingerprint(other)
    (same / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    assert places.fingerprint(one) != places.fingerprint(same)


def test_the_end_of_large_weights_counts_too(tmp_path: Path) -> None:
    one = _model_folder(tmp_path / "one", weights=bytes(3_000_000))
    other = _model_folder(tmp_path / "other", weights=bytes(2_999_999) + b"x")
    assert places.fingerprint(one) != places.fingerprint(other)


def test_off_is_a_choice_and_loads_nothing() -> None:
    before = "torch" in sys.modules
    embeddings.warm_up()
    assert embeddings.is_off()
    assert embeddings.state() == EmbeddingHealth(EngineState.NOT_LOADED, message=embeddings.OFF_MESSAGE)
    with pytest.raises(EmbeddingFailed, match="switched off"):
        embeddings.embed(["text"])
    assert ("torch" in sys.modules) is before


def test_the_models_of_a_process_are_there_once_each() -> None:
    assert embedder("a") is embedder("a")
    kept = embedder("b")
    embeddings.release_others("b")
    assert embedder("b") is kept


def test_another_process_learns_the_state_and_never_that_of_a_dead_one(tmp_path: Path) -> None:
    assert published.read(tmp_path) is None
    health = EmbeddingHealth(EngineState.READY, "m", 384)
    published.write(tmp_path, health)
    assert published.read(tmp_path) == health
    assert (tmp_path / published.FILE_NAME).stat().st_mode & 0o777 == 0o600
    written = json.loads((tmp_path / published.FILE_NAME).read_text())
    (tmp_path / published.FILE_NAME).write_text(json.dumps({**written, "process": f"{2**30}:0"}))
    assert published.read(tmp_path) is None
