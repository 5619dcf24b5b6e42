"""What is put into an embedding model for a chunk, and the key of everything that makes its vector."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Sequence

from inference import embeddings

RECIPE = "opening-path-1"
"""Changes with `heading_of`: vectors made of other texts belong into another index."""

OPENING = 300
"""Characters. Whose lease it is stands in its first lines, while the clause that answers says only 'the tenant'."""
KEY_LENGTH = 32


def heading_of(opening: str, path: Sequence[str], ordinal: int) -> str:
    """Return what a chunk is read under: its document's first words and its headings, each once."""
    # The first chunk has the opening in its text, and so has every section its own headings.
    first = " ".join(opening[:OPENING].split()) if ordinal else ""
    return "\n".join(filter(None, [first, " › ".join(step for step in path if step not in first)]))


@functools.cache
def backend_key(model: str) -> str:
    """Return the key of the vectors that a model of this name makes here; asked once in the life of a process.

    Loads nothing. Raises EmbeddingFailed when the model is not on this machine.
    """
    return hashlib.sha256(f"{RECIPE}\0{embeddings.fingerprint(model)}".encode()).hexdigest()[:KEY_LENGTH]
