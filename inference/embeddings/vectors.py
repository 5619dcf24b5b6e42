"""The arithmetic of vectors: what every backend must give, and how several become one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from inference.embeddings.health import EmbeddingFailed

Matrix = npt.NDArray[np.float32]
"""One vector in each row, of length 1 unless it says otherwise."""


def checked(rows: Any, count: int, dim: int) -> Matrix:
    """Return `rows` as a matrix of `count` vectors of length 1.

    Raises EmbeddingFailed for another shape, and for numbers that are none: they would be stored, and never found.
    """
    matrix = np.asarray(rows, dtype=np.float32).reshape(count, -1) if count else np.zeros((0, dim), np.float32)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if matrix.shape[1] != dim or not np.isfinite(lengths).all() or (lengths == 0).any():
        raise EmbeddingFailed("The embedding model gave vectors that cannot be used. Choose another model.")
    normal: Matrix = (matrix / lengths).astype(np.float32)
    return normal


def mean_of_groups(rows: Matrix, sizes: Sequence[int]) -> Matrix:
    """Return one vector for each run of rows (`sizes`, none of them 0): its mean, brought to length 1."""
    if len(sizes) == len(rows):
        return rows
    starts = np.cumsum([0, *sizes[:-1]])
    means = np.add.reduceat(rows, starts, axis=0) / np.asarray(sizes, dtype=np.float32)[:, None]
    return checked(means, len(sizes), rows.shape[1])
