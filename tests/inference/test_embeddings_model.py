"""The embedding model that comes with the packages: what is near, how much it reads, and that it calls nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from inference.contracts import EngineState
from inference.embeddings import Embedder, places
from inference.embeddings.encoder import THREADS, load
from tests.stack import ROOT
from tests.wall import noted_attempts, walled

pytestmark = [pytest.mark.engine, pytest.mark.timeout(300)]


@pytest.fixture(scope="module")
def model() -> Embedder:
    embedder = Embedder(places.BUNDLED, lambda: load(places.find_folder(places.BUNDLED, Path("/nowhere"))))
    assert embedder.wait()
    return embedder


def test_it_is_ready_with_its_dimension_and_one_thread(model: Embedder) -> None:
    import torch

    assert model.health().state is EngineState.READY
    assert model.health().dim == 384
    assert torch.get_num_threads() == THREADS == 1


def test_a_question_is_nearest_to_what_answers_it_in_other_words(model: Embedder) -> None:
    rows = model.embed(
        [
            "The aircraft was destroyed by fire after the collision with the ground.",
            "The tenant pays 900 euros on the first of the month.",
            "Dogs are not allowed in the stairwell.",
        ]
    )
    for question, nearest in [("How did the plane burn?", 0), ("What does living there cost?", 1), ("pets", 2)]:
        assert int(np.argmax(rows @ model.embed_query(question)[0])) == nearest


def test_vectors_are_float32_of_length_one_and_the_same_twice(model: Embedder) -> None:
    texts = ["One text.", "", "租金九百欧元", "x" * 5_000, "word " * 3_000]
    rows = model.embed(texts)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)
    assert np.allclose(rows, model.embed(texts), atol=1e-6)


def test_a_text_in_a_batch_has_the_vector_that_it_has_alone(model: Embedder) -> None:
    texts = ["Short.", "A longer text that fills the batch with more words than the first.", "word " * 400]
    alone = np.concatenate([model.embed([text]) for text in texts])
    assert np.allclose(model.embed(texts), alone, atol=1e-5)


def test_the_end_of_a_text_beyond_the_window_counts(model: Embedder) -> None:
    filler = "The committee approved the minutes of the previous meeting without any remarks. " * 40
    with_end, without = model.embed([filler + "The submarine sank in the harbour of Lisbon. " * 6, filler])
    question = model.embed_query("Where did the submarine sink?")[0]
    assert with_end @ question > without @ question + 0.05


def test_the_heading_of_a_passage_counts(model: Embedder) -> None:
    text = "The deposit is three months' rent."
    lisbon, ghent = model.embed([text, text], ["Lease of the flat in Lisbon", "Lease of the flat in Ghent"])
    question = model.embed_query("What is the deposit of the flat in Ghent?")[0]
    assert ghent @ question > lisbon @ question


def test_a_folder_with_broken_weights_fails_with_its_path(tmp_path: Path) -> None:
    for name in ("config.json", "modules.json", "tokenizer.json", "tokenizer_config.json"):
        (tmp_path / name).write_bytes((places.find_folder(places.BUNDLED, tmp_path) / name).read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    embedder = Embedder(str(tmp_path), lambda: load(tmp_path))
    assert not embedder.wait()
    assert str(tmp_path) in embedder.health().message


def test_it_never_calls_out_even_where_nothing_forbids_it(tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    script = (
        "from pathlib import Path\n"
        "from inference.embeddings import places\n"
        "from inference.embeddings.encoder import load\n"
        "print(load(places.find_folder(places.BUNDLED, Path('/nowhere'))).queries(['question']).shape)\n"
        "try: places.find_folder('BAAI/bge-m3', Path('/nowhere'))\n"
        "except Exception as error: print(error.message)"
    )
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("HF_", "TRANSFORMERS_"))}
    environment = {**kept, **walled(notes), "HF_HOME": str(tmp_path / "cache")}
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("(1, 384)\nThe embedding model BAAI/bge-m3 is not on this machine.")
    assert noted_attempts(notes) == []
