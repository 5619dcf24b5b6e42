"""Carrying one request's events from the engine's thread to an HTTP response, and the client's departure back."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable
from typing import Self

from starlette.concurrency import run_in_threadpool
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from inference.contracts import ChatRequest, Completion, Delta, Event, Finished, Progress
from inference.engine.port import Engine, Ticket
from inference.errors import InferenceError, ServiceStalled
from inference.service.wire import Reply, error_body

logger = logging.getLogger(__name__)

HEARTBEAT_S = 1.5
"""Longest silence on a stream, in seconds; clients may expect a sign of life every 2."""

STALLED_S = 120.0
"""A batch takes seconds, on a loaded machine many; an engine that does not move for this long hangs."""


class Answer:
    """An accepted request: its events as an async iterator, and its cancellation."""

    @classmethod
    async def begin(cls, engine: Engine, request: ChatRequest) -> Self:
        """Submit a request; raises what the engine refuses it with, before any response has begun."""
        loop = asyncio.get_running_loop()
        answer = cls(engine)
        put = answer._queue.put_nowait
        # In a thread: tokenizing a long prompt must not keep the other answers from being sent.
        answer._ticket = await run_in_threadpool(engine.submit, request, lambda event: _post(loop, put, event))
        return answer

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._queue: asyncio.Queue[Event | InferenceError] = asyncio.Queue()
        self._ticket: Ticket | None = None

    def cancel(self) -> None:
        """Give the slot back; harmless after the end."""
        if self._ticket is not None:
            self._ticket.cancel()

    async def events(self) -> AsyncIterator[Event]:
        """Yield the events; in a silence repeat the last progress so that the reader knows that we live.

        One `get` is kept and polled: a timeout that cancelled it could lose the event it was about to return.
        """
        known = Progress(0, 0)
        pending = asyncio.ensure_future(self._queue.get())
        try:
            while True:
                done, _ = await asyncio.wait({pending}, timeout=HEARTBEAT_S)
                if not done:
                    # A heartbeat says that the engine moves, not just that this loop does.
                    if self._engine.silence() > STALLED_S:
                        raise ServiceStalled
                    yield known
                    continue
                event = pending.result()
                if isinstance(event, InferenceError):
                    raise event
                yield event
                if isinstance(event, Finished):
                    return
                if isinstance(event, Progress):
                    known = event
                pending = asyncio.ensure_future(self._queue.get())
        finally:
            pending.cancel()


def _post(
    loop: asyncio.AbstractEventLoop, put: Callable[[Event | InferenceError], None], event: Event | InferenceError
) -> None:
    # The loop is closed when the service shuts down while the engine still reports; nobody is left to tell.
    if not loop.is_closed():
        loop.call_soon_threadsafe(put, event)


class EventStream(Response):
    """Server-sent events of one answer; a client that goes away cancels it at once.

    Written out instead of using StreamingResponse, because the departure must be noticed while nothing is sent
    (a long wait in line), and must reach the engine and not just this coroutine.
    """

    media_type = "text/event-stream"

    def __init__(self, answer: Answer, reply: Reply) -> None:
        self.status_code = 200
        self.background = None
        self.body = b""
        self._answer = answer
        self._reply = reply
        self.init_headers({"Cache-Control": "no-store"})
        del self.headers["content-length"]

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": self.status_code, "headers": self.raw_headers})
        pump = asyncio.ensure_future(self._pump(send))
        gone = asyncio.ensure_future(until_gone(receive))
        try:
            await asyncio.wait({pump, gone}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._answer.cancel()
            gone.cancel()
            if not pump.done():
                pump.cancel()
            ended, _ = await asyncio.gather(pump, gone, return_exceptions=True)
            if isinstance(ended, Exception):
                logger.error("A stream broke off", exc_info=ended)

    async def _pump(self, send: Send) -> None:
        async def write(data: str) -> None:
            await send({"type": "http.response.body", "body": f"data: {data}\n\n".encode(), "more_body": True})

        try:
            async for event in self._answer.events():
                for chunk in self._reply.chunk(event):
                    await write(json.dumps(chunk, ensure_ascii=False))
        except InferenceError as error:
            await write(json.dumps(error_body(error), ensure_ascii=False))
        await write("[DONE]")
        await send({"type": "http.response.body", "body": b"", "more_body": False})


async def until_gone(receive: Receive) -> None:
    """Return when the client has closed its side."""
    while (await receive())["type"] != "http.disconnect":
        pass


async def collect(answer: Answer, receive: Receive) -> Completion | None:
    """Return the whole answer, or None when the client left first (the request is then cancelled)."""
    whole = asyncio.ensure_future(_gather(answer))
    gone = asyncio.ensure_future(until_gone(receive))
    try:
        await asyncio.wait({whole, gone}, return_when=asyncio.FIRST_COMPLETED)
        return whole.result() if whole.done() else None
    finally:
        answer.cancel()
        for task in (whole, gone):
            task.cancel()
        await asyncio.gather(whole, gone, return_exceptions=True)


async def _gather(answer: Answer) -> Completion:
    pieces: list[Delta] = []
    async for event in answer.events():
        if isinstance(event, Finished):
            return Completion.of(pieces, event)
        if not isinstance(event, Progress):
            pieces.append(event)
    raise AssertionError("the stream of an answer ends with Finished or an error")
