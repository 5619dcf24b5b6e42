"""Prefix memory: what the engine can bring back into a slot instead of reading it again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from inference.engine.llama import Context


class PrefixMemory(Protocol):
    """Keeps the state of sequences and gives it back, exactly or not at all."""

    def restore(self, context: Context, sequence: int, wanted: Sequence[int], *, longer_than: int) -> int | None:
        """Put the longest stored prefix of `wanted` into the sequence if it beats `longer_than` tokens.

        Returns its length, or None. After None the sequence is as before or, when a snapshot failed while it was being
        put in, empty.
        """

    def save(self, context: Context, sequence: int, tokens: Sequence[int], name: str) -> None:
        """Keep the sequence, which holds exactly `tokens`, under a boundary's name.

        A failure to save is logged and harms nothing.
        """

    def forget(self, name: str) -> int:
        """Delete what was kept under a name; return how many states that were. Thread-safe."""

    def metrics(self) -> Mapping[str, float]:
        """Counters and gauges by Prometheus name."""

    def close(self) -> None:
        """Finish what is being written."""


class NoMemory:
    """Remembers nothing beyond the slots."""

    def restore(self, context: Context, sequence: int, wanted: Sequence[int], *, longer_than: int) -> int | None:  # noqa: ARG002
        """Return None: nothing is stored."""
        return None

    def save(self, context: Context, sequence: int, tokens: Sequence[int], name: str) -> None:
        """Keep nothing."""

    def forget(self, name: str) -> int:  # noqa: ARG002
        """Return 0: nothing is stored."""
        return 0

    def metrics(self) -> Mapping[str, float]:
        """Return no figures."""
        return {}

    def close(self) -> None:
        """Do nothing."""
