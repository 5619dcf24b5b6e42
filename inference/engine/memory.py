"""Prefix memory: what the engine can bring back into a slot instead of reading it again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from inference.engine.llama import Context


class PrefixMemory(Protocol):
    """Keeps the state of sequences and gives it back, exactly or not at all."""

    def restore(self, context: Context, sequence: int, wanted: Sequence[int], *, longer_than: int) -> int | None:
        """Put the longest stored prefix of `wanted` into the sequence if it beats `longer_than` tokens.

        Returns its length, or None. After None the sequence is as before or, when a snapshot failed while it was being
        put in, empty.
        """

    def save(self, context: Context, sequence: int, tokens: Sequence[int]) -> None:
        """Keep the sequence, which holds exactly `tokens`. A failure to save is logged and harms nothing."""


class NoMemory:
    """Remembers nothing beyond the slots."""

    def restore(self, context: Context, sequence: int, wanted: Sequence[int], *, longer_than: int) -> int | None:  # noqa: ARG002
        """Return None: nothing is stored."""
        return None

    def save(self, context: Context, sequence: int, tokens: Sequence[int]) -> None:
        """Keep nothing."""
