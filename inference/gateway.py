"""The one way to the model, wherever it runs: finds who answers, and is the same to its callers for each."""

from __future__ import annotations

import asyncio
import time
import weakref
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from pathlib import Path
from typing import Protocol, TypeVar

from asgiref.sync import async_to_sync, sync_to_async

from inference import endpoint
from inference.contracts import ChatRequest, Completion, Delta, EngineState, Event, Finished, Health
from inference.engine.shelf import delete_named
from inference.errors import InferenceError, ServiceLost, ServiceUnavailable
from inference.external.choice import Server, answers_elsewhere, chosen
from inference.external.server import ExternalServer
from inference.local_service import CHANGED, NOT_RUNNING, NOT_UNDERSTOOD, LocalService, StreamReader, to_wire
from inference.switching import waiting

__all__ = [
    "CHANGED",
    "NOT_RUNNING",
    "NOT_UNDERSTOOD",
    "Gateway",
    "StreamReader",
    "complete",
    "count_tokens",
    "forget",
    "gateway",
    "health",
    "to_wire",
    "wake",
]

BEAT_S = 5.0

Result = TypeVar("Result")


class Backend(Protocol):
    """What answers: the local service or a server in its place."""

    def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """See `Gateway.stream`."""

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """See `Gateway.count_tokens`."""

    async def health(self) -> Health:
        """See `Gateway.health`."""


class Gateway:
    """Asynchronous access to the model; belongs to the event loop that made it (see `gateway`).

    Who answers is looked up with every call, so that a change holds at once and in every process.
    """

    def __init__(self) -> None:
        self._local = LocalService()
        self._servers: dict[Server, ExternalServer] = {}

    async def close(self) -> None:
        """Give the connections back."""
        await self._local.close()
        for server in self._servers.values():
            await server.close()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Yield the request's events as they come; the last is `Finished`. Raises InferenceError.

        Closing the iterator closes the HTTP stream, and with it the request in the engine.
        """
        backend = self._backend()
        async with aclosing(backend.stream(request)) as events:
            async for event in events:
                yield event

    async def complete(self, request: ChatRequest, beat: Callable[[], None] | None = None) -> Completion:
        """Return the whole answer. Raises InferenceError.

        `beat`, synchronous, is called every `BEAT_S` while the model works; what it raises ends the request.
        """
        collected = _Collector()
        due = time.monotonic() + BEAT_S
        async with aclosing(self.stream(request)) as events:
            async for event in events:
                collected.add(event)
                if beat is not None and time.monotonic() >= due:
                    await sync_to_async(beat)()
                    due = time.monotonic() + BEAT_S
        return collected.completion()

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's tokens under the model, special tokens off. Raises InferenceError.

        A server that does not count has them estimated, rather too many than too few.
        """
        return await self._backend().count_tokens(texts)

    async def forget(self, name: str) -> int:
        """Delete the states kept under a boundary's name, of every model; return how many. Raises InferenceError.

        They are the local service's, and stay on the disk while a server answers in its place.
        """
        from django.conf import settings

        if answers_elsewhere() and endpoint.read(settings.RUN_DIR) is None:
            return delete_named(Path(settings.SNAPSHOTS_DIR), name)
        return await self._local.forget(name)

    async def health(self) -> Health:
        """Return the state of what answers; what cannot be reached is NOT_LOADED with the reason."""
        try:
            return await self._backend().health()
        except InferenceError as error:
            return Health(EngineState.NOT_LOADED, message=error.message)

    async def health_when_served(self) -> Health:
        """Return the state; where the local model is on its way or asleep, once it is there.

        Whoever is about to ask for a person begins with this: so the plan of an answer is made for the model that
        gives it.
        """
        with suppress(InferenceError):  # which `health` puts into its words
            if self._backend() is self._local:
                return await self._local.health_when_served()
        return await self.health()

    def _backend(self) -> Backend:
        """Return what answers now. Raises InferenceError, also where nothing may be sent there yet."""
        there = chosen()
        if there is None:
            return self._local
        if there.held:
            raise ServiceUnavailable(there.held)
        # An earlier one may still be answering: it is closed with the rest.
        if there.server not in self._servers:
            self._servers[there.server] = ExternalServer(there.server)
        return self._servers[there.server]


_gateways: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, Gateway] = weakref.WeakKeyDictionary()


def gateway() -> Gateway:
    """Return the running event loop's gateway: httpx clients do not survive the loop that they were used in."""
    loop = asyncio.get_running_loop()
    if loop not in _gateways:
        _gateways[loop] = Gateway()
    return _gateways[loop]


def count_tokens(texts: Sequence[str]) -> list[int]:
    """Return each text's tokens, from synchronous code. Raises InferenceError."""
    return _in_a_loop_of_its_own(lambda own: own.count_tokens(texts))


def forget(name: str) -> int:
    """Delete the states kept under a boundary's name, from synchronous code. Raises InferenceError."""
    return _in_a_loop_of_its_own(lambda own: own.forget(name))


def complete(request: ChatRequest, beat: Callable[[], None] | None = None) -> Completion:
    """Return the whole answer, from synchronous code; see `Gateway.complete`. Raises InferenceError."""
    return async_to_sync(_once)(lambda own: own.complete(request, beat))


def health() -> Health:
    """Return the service's state, from synchronous code; never raises."""
    return _in_a_loop_of_its_own(lambda own: own.health())


def wake() -> None:
    """Bring the local model back if it is asleep and no server answers in its place: there is work for it."""
    from django.conf import settings

    if not answers_elsewhere():
        waiting.wake(settings.RUN_DIR)


def _in_a_loop_of_its_own(call: Callable[[Gateway], Awaitable[Result]]) -> Result:
    """Make one call to its end, whatever becomes of the process's event loop.

    asgiref's `async_to_sync` would lend the call to the loop that this thread works for. If that has stopped, as when
    the web process ends, the thread would wait for ever, and the process for its thread.
    """
    return asyncio.run(_once(call))


async def _once(call: Callable[[Gateway], Awaitable[Result]]) -> Result:
    """Make one call with a gateway of its own: the event loop that synchronous code is given ends with the call."""
    own = Gateway()
    try:
        return await call(own)
    finally:
        await own.close()


class _Collector:
    """Adds a stream up to a Completion."""

    def __init__(self) -> None:
        self._pieces: list[Delta] = []
        self._end: Finished | None = None

    def add(self, event: Event) -> None:
        if isinstance(event, Delta):
            self._pieces.append(event)
        elif isinstance(event, Finished):
            self._end = event

    def completion(self) -> Completion:
        if self._end is None:
            raise ServiceLost
        return Completion.of(self._pieces, self._end)
