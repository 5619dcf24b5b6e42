"""What is said about an embedding model, and the named failure of everything that needs one."""

from __future__ import annotations

from dataclasses import dataclass

from inference.contracts import EngineState


@dataclass(frozen=True)
class EmbeddingHealth:
    """Where an embedding model stands; `dim` is 0 until it is loaded, `message` the cause of a failure."""

    state: EngineState
    model: str = ""
    dim: int = 0
    message: str = ""


class EmbeddingFailed(Exception):
    """Texts could not be turned into vectors; `message` is a sentence for a person: the cause, and what to do."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)
