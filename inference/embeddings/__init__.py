"""Vectors for texts, made in this process by the model that is chosen (`choice`).

    from inference import embeddings

    embeddings.warm_up()                    # returns at once
    embeddings.state()                      # NOT_LOADED, LOADING, READY or FAILED, with the cause
    embeddings.embed(["A text.", …])        # waits for the model; raises EmbeddingFailed

`embedder(name)` gives another model than the configured one: an index goes on with the model it was made by.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from pathlib import Path

from inference.contracts import EngineState
from inference.embeddings import choice, encoder, places, published
from inference.embeddings.choice import OFF
from inference.embeddings.health import EmbeddingFailed, EmbeddingHealth
from inference.embeddings.model import Embedder
from inference.embeddings.vectors import Matrix

__all__ = [
    "OFF",
    "Embedder",
    "EmbeddingFailed",
    "EmbeddingHealth",
    "Matrix",
    "configured",
    "embed",
    "embed_query",
    "embedder",
    "fingerprint",
    "is_off",
    "publish",
    "published_state",
    "release_others",
    "state",
    "warm_up",
]

OFF_MESSAGE = "Search by meaning is switched off."

_embedders: dict[str, Embedder] = {}
_lock = threading.Lock()
_run_dirs: list[Path] = []


def configured() -> str:
    """Return the name or path of the model that is chosen."""
    return choice.chosen()


def is_off() -> bool:
    """Tell whether search by meaning is switched off for this installation."""
    return configured() == OFF


def embedder(name: str = "") -> Embedder:
    """Return the one embedder of this process for a model (default: the configured one); loads nothing.

    Raises EmbeddingFailed where search by meaning is switched off.
    """
    name = name or configured()
    if name == OFF:
        raise EmbeddingFailed(OFF_MESSAGE)
    with _lock:
        if name not in _embedders:
            _embedders[name] = Embedder(name, functools.partial(_load, name), _announce)
        return _embedders[name]


def release_others(name: str) -> None:
    """Give back the memory of all models but one, after a change of the model."""
    with _lock:
        for other in [other for other in _embedders if other != name]:
            del _embedders[other]


def fingerprint(name: str) -> str:
    """Return what tells a model from all others; loads nothing. Raises EmbeddingFailed when it is not here."""
    return places.fingerprint(places.find_folder(name, _models_dir()))


def state(name: str = "") -> EmbeddingHealth:
    """Return where a model stands in this process (default: the configured one)."""
    name = name or configured()
    if name == OFF:
        return EmbeddingHealth(EngineState.NOT_LOADED, message=OFF_MESSAGE)
    return embedder(name).health()


def warm_up() -> None:
    """Start loading the configured model in a thread, unless it is there already."""
    if not is_off():
        embedder().warm_up()


def embed(texts: Sequence[str]) -> Matrix:
    """Return a row for each text: float32, length 1. Waits for the model; raises EmbeddingFailed."""
    return embedder().embed(texts)


def embed_query(text: str) -> Matrix:
    """Return the vector of a question, a matrix of one row. Waits for the model; raises EmbeddingFailed."""
    return embedder().embed_query(text)


def publish(run_dir: Path) -> None:
    """Keep other processes informed of how the model of this one is; for the process whose state /health/ shows."""
    _run_dirs.append(run_dir)
    published.write(run_dir, state())


def published_state(run_dir: Path) -> EmbeddingHealth:
    """Return how the model is in the process that publishes there; as here, not loaded, where there is none."""
    return published.read(run_dir) or state()


def _announce(health: EmbeddingHealth) -> None:
    if health.model != configured():
        return  # the model of an index that serves until another one is whole
    for run_dir in _run_dirs:
        published.write(run_dir, health)


def _load(name: str) -> encoder.Encoder:
    return encoder.load(places.find_folder(name, _models_dir()))


def _models_dir() -> Path:
    from django.conf import settings

    return Path(settings.MODELS_DIR)
