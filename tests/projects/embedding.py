"""Fake embedding models for tests of search by meaning, under names that the settings can choose."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from pytest_django import Settings

from inference import embeddings
from inference.embeddings import EmbeddingFailed, encoder, places
from inference.embeddings.fake import FakeEncoder
from projects.retrieval.matrix import shelf
from projects.retrieval.recipe import backend_key

MEANS = {"dwelling": "flat", "costs": "rent", "price": "rent", "hound": "dog"}


@dataclass
class FakeModels:
    """Which models are on this machine, and which one is configured; `encoder.encoded` tells what it was given."""

    settings: Settings
    there: dict[str, FakeEncoder] = field(default_factory=dict)

    def use(self, name: str, dim: int = 64) -> FakeEncoder:
        """Put a model on this machine and choose it; the process starts anew, as after any change of a setting."""
        self.there[name] = FakeEncoder(dim, MEANS)
        self.settings.EMBEDDINGS = name
        self.restart()
        return self.there[name]

    def ready(self, name: str) -> None:
        """Load a model, so that no search has to do without."""
        assert embeddings.embedder(name).wait()

    def restart(self) -> None:
        """Forget what only the memory of a process knows."""
        embeddings.release_others("")
        backend_key.cache_clear()
        shelf.clear()

    def fingerprint(self, name: str) -> str:
        """Stand in for looking at the model's files."""
        if name not in self.there:
            raise EmbeddingFailed(f"The embedding model {name} is not on this machine.")
        return f"{name}-{self.there[name].dim}"

    def load(self, name: str) -> encoder.Encoder:
        """Stand in for loading the model."""
        self.fingerprint(name)
        return self.there[name]


@pytest.fixture
def models(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeModels]:
    """Fake models in place of files; `first` is there, chosen and loaded."""
    fakes = FakeModels(settings)
    monkeypatch.setattr(places, "find_folder", lambda name, _: name)
    monkeypatch.setattr(places, "fingerprint", fakes.fingerprint)
    monkeypatch.setattr(encoder, "load", fakes.load)
    fakes.use("first")
    fakes.ready("first")
    yield fakes
    fakes.restart()
