"""Running an embedding model with sentence-transformers, from files alone and on one thread."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from inference.embeddings.health import EmbeddingFailed
from inference.embeddings.vectors import Matrix, checked, mean_of_groups
from inference.embeddings.windows import windows

THREADS = 1
"""Of torch. Beside a busy engine on 2 cores a second thread makes a query 14 times slower (244 against 17 ms): both
wait for each other's cores. On idle cores it gains a third."""
BATCH = 8
"""Texts at a time. On one thread more of them gain nothing and take more memory (620 MB against 540 MB)."""

OFFLINE = ("HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


class Encoder(Protocol):
    """A loaded model: texts in, one row of `dim` numbers for each out, float32 of length 1."""

    @property
    def dim(self) -> int: ...

    def passages(self, headings: Sequence[str], texts: Sequence[str]) -> Matrix:
        """Encode texts, each with what it stands under; none is cut off, however long."""
        ...

    def queries(self, texts: Sequence[str]) -> Matrix:
        """Encode questions, for models that tell them from passages."""
        ...


def load(folder: Path) -> Encoder:
    """Load a model from its folder; takes seconds. Raises EmbeddingFailed with the cause."""
    # Read when the libraries are imported.
    os.environ.update(dict.fromkeys(OFFLINE, "1"))
    # Its threads would fight the engine's, and do not survive a fork.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        return SentenceEncoder(_open(folder))
    except (ImportError, OSError, ValueError, RuntimeError, KeyError) as error:
        cause = (str(error).strip() or type(error).__name__).splitlines()[0]
        raise EmbeddingFailed(f"The embedding model in {folder} cannot be loaded: {cause}") from error


def _open(folder: Path) -> Any:
    import torch
    import transformers
    from sentence_transformers import SentenceTransformer

    torch.set_num_threads(THREADS)
    logs: Any = transformers.utils.logging
    logs.disable_progress_bar()
    logs.set_verbosity_error()
    return SentenceTransformer(
        str(folder), device="cpu", local_files_only=True, trust_remote_code=False, model_kwargs={"dtype": "float32"}
    )


class SentenceEncoder:
    """A model of sentence-transformers."""

    def __init__(self, model: Any) -> None:
        self._model = model
        limit = model.max_seq_length
        self._limit = limit if limit is not None and math.isfinite(limit) else None
        dim = model.get_embedding_dimension()
        if not dim:
            raise ValueError("it does not say how long its vectors are")
        self.dim = int(dim)

    def passages(self, headings: Sequence[str], texts: Sequence[str]) -> Matrix:
        """Encode texts; the mean of its pieces, each headed, stands for one beyond the model's window."""
        groups = [windows(heading, text, self._fits) for heading, text in zip(headings, texts, strict=True)]
        pieces = [piece for group in groups for piece in group]
        return mean_of_groups(self._encode(self._model.encode_document, pieces), [len(group) for group in groups])

    def queries(self, texts: Sequence[str]) -> Matrix:
        """Encode questions."""
        return self._encode(self._model.encode_query, texts)

    def _fits(self, text: str) -> bool:
        return self._limit is None or len(self._model.tokenizer(text)["input_ids"]) <= self._limit

    def _encode(self, encode: Callable[..., Any], texts: Sequence[str]) -> Matrix:
        try:
            rows = encode(list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False)
        except (RuntimeError, MemoryError) as error:  # torch says so when memory runs out
            raise EmbeddingFailed(f"The embedding model failed: {str(error).splitlines()[0]}") from error
        return checked(rows, len(texts), self.dim)
