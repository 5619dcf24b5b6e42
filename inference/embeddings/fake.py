"""An encoder without a model, for tests: texts are near each other that share words, or words made to mean the same."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence

import numpy as np

from inference.embeddings.vectors import Matrix, checked


class FakeEncoder:
    """Adds up a fixed direction for each word; `means` maps a word to the one it counts as."""

    def __init__(self, dim: int = 64, means: Mapping[str, str] | None = None) -> None:
        self.dim = dim
        self.means = dict(means or {})
        self.encoded: list[str] = []
        """Every passage that was asked for, in order."""

    def passages(self, headings: Sequence[str], texts: Sequence[str]) -> Matrix:
        """Encode headings and texts alike."""
        self.encoded += texts
        return self._rows([f"{heading} {text}" for heading, text in zip(headings, texts, strict=True)])

    def queries(self, texts: Sequence[str]) -> Matrix:
        """Encode questions as passages."""
        return self._rows(texts)

    def _rows(self, texts: Sequence[str]) -> Matrix:
        return checked([self._row(text) for text in texts], len(texts), self.dim)

    def _row(self, text: str) -> Matrix:
        words = re.findall(r"\w+", text.casefold()) or [""]
        row: Matrix = np.sum([self._direction(self.means.get(word, word)) for word in words], axis=0)
        return row

    def _direction(self, word: str) -> Matrix:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:8], "big")
        direction: Matrix = np.random.default_rng(seed).standard_normal(self.dim).astype(np.float32)
        return direction
