"""Prefix memory: what the engine can bring back into a slot instead of reading it again."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from inference.engine.llama import Context


@dataclass(frozen=True)
class Keeping:
    """How storing goes: bytes taken of the quota (0: nothing is kept), and why the last state was not stored."""

    bytes: int = 0
    quota: int = 0
    trouble: str = ""


class Recall(Protocol):
    """A stored state on its way from the disk."""

    @property
    def done(self) -> bool:
        """It has arrived, or turned out to be bad."""


class PrefixMemory(Protocol):
    """Keeps the state of sequences and gives it back, exactly or not at all.

    `recall`, `restore` and `save` are called by the engine's thread; they do not wait for the disk.
    """

    def recall(self, wanted: Sequence[int], *, longer_than: int, room: int, wake: Callable[[], None]) -> Recall | None:
        """Begin to fetch the longest stored prefix of `wanted` if it beats `longer_than` tokens; None if none does.

        A state is restored whole before it is cut, so those of more than `room` tokens are passed over. `wake` is
        called, from another thread, when the recall is done.
        """

    def restore(self, recall: Any, context: Context, sequence: int) -> int | None:
        """Put what a finished recall has fetched into a sequence; return its length in tokens.

        None: it was bad and is deleted; the sequence may be empty then.
        """

    def save(self, context: Context, sequence: int, tokens: Sequence[int], name: str) -> None:
        """Keep the sequence, which holds exactly `tokens`, under a boundary's name.

        What was kept under the name and is a beginning of these tokens goes: the text has grown. A failure to save is
        logged and harms nothing.
        """

    def forget(self, name: str) -> int:
        """Delete what was kept under a name; return how many states that were. Thread-safe."""

    def keeping(self) -> Keeping:
        """Say how storing goes. Thread-safe."""

    def metrics(self) -> Mapping[str, float]:
        """Counters and gauges by Prometheus name."""

    def close(self) -> None:
        """Finish what is being written."""


class NoMemory:
    """Remembers nothing beyond the slots; `trouble` says why if it was meant to."""

    def __init__(self, trouble: str = "") -> None:
        self._trouble = trouble

    def recall(
        self,
        wanted: Sequence[int],  # noqa: ARG002
        *,
        longer_than: int,  # noqa: ARG002
        room: int,  # noqa: ARG002
        wake: Callable[[], None],  # noqa: ARG002
    ) -> None:
        """Return None: nothing is stored."""
        return

    def restore(self, recall: Any, context: Context, sequence: int) -> int | None:
        """Cannot be reached: `recall` finds nothing."""
        raise AssertionError(recall, context, sequence)

    def save(self, context: Context, sequence: int, tokens: Sequence[int], name: str) -> None:
        """Keep nothing."""

    def forget(self, name: str) -> int:  # noqa: ARG002
        """Return 0: nothing is stored."""
        return 0

    def keeping(self) -> Keeping:
        """Say that nothing is kept."""
        return Keeping(trouble=self._trouble)

    def metrics(self) -> Mapping[str, float]:
        """Return no figures."""
        return {}

    def close(self) -> None:
        """Do nothing."""
