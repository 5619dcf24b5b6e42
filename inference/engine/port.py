"""What an engine offers to the HTTP service: the seam at which the fake one takes the real one's place."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Protocol

from inference.contracts import ChatRequest, Event, Health, PoolName
from inference.errors import InferenceError

Sink = Callable[[Event | InferenceError], None]
"""Receives a request's events in order, on the engine's thread; `Finished` or an error is the last. Never blocks."""


class Ticket(Protocol):
    """A request that was accepted."""

    def cancel(self) -> None:
        """Ask the engine to end the request; idempotent, thread-safe, returns at once.

        The sink then receives `Finished("cancelled", …)` unless the request has ended already.
        """


class Engine(Protocol):
    """A model that answers; all methods are thread-safe.

    `submit` and `count_tokens` tokenize, which takes a second for a megabyte; none of them waits for the model.
    """

    def start(self) -> None:
        """Begin loading in the background."""

    def retire(self, keep: Collection[PoolName] = ()) -> None:
        """Take no more requests and end those of all pools but `keep`, which go on; returns at once."""

    def stop(self) -> None:
        """End every request, free the model and return when the engine's thread is gone."""

    def submit(self, request: ChatRequest, sink: Sink) -> Ticket:
        """Accept a request, or raise the InferenceError that says why not."""

    def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Tokens in each text, special tokens off; raises ModelLoading or ModelFailed."""

    def forget(self, name: str) -> int:
        """Delete the snapshots kept under a boundary's name; return how many. Raises ModelLoading."""

    def silence(self) -> float:
        """Seconds since the engine last moved although it has work; 0 when it is idle."""

    def health(self) -> Health:
        """State, model and measured speeds."""

    def metrics(self) -> Mapping[str, float]:
        """Counters and gauges by Prometheus name, without the `readahead_` prefix."""
