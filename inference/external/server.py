"""Having a server answer: the second of the two ways on which the gateway reaches a model."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from enum import Enum
from typing import Any

import httpx

from inference.contracts import ChatRequest, Delta, Event, Finished, Health, Progress
from inference.errors import BadRequest
from inference.external.about import About
from inference.external.address import root
from inference.external.choice import Server
from inference.external.connection import Connection
from inference.external.estimate import most_tokens, prompt_tokens
from inference.external.failures import complaint, not_openai, refused, stalled
from inference.external.wire import Reader, body_of, refused_fields

FIRST_S = 600.0
"""Silence until an answer must have begun: a server may have to load its model, and to read a long prompt."""
IDLE_S = 90.0
"""Silence in the middle of an answer that counts as its end."""
HEARTBEAT_S = 1.5
"""Longest silence towards our own callers, as from the local service."""
COUNT_S = 60.0
COUNTED_AT_ONCE = 8
NO_COUNTING = (400, 401, 403, 404, 405, 422, 501)
PROBE = "Is it raining?"

Piece = Delta | Progress


class _End(Enum):
    END = 0


class ExternalServer:
    """Asynchronous access to one server; belongs to the event loop that made it."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._connection = Connection(server)
        self._known = self._connection.known
        self.about = About(self._connection)

    async def close(self) -> None:
        """Give the connections back."""
        await self._connection.close()

    async def health(self) -> Health:
        """Return the state of the server; never raises."""
        return await self.about.health()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Yield the request's events; see `Gateway.stream`. Raises InferenceError.

        The first says that nothing of the prompt is known to be remembered there.
        """
        async with aclosing(self.events(request, Reader(self.server))) as events:
            async for event in events:
                yield event

    async def events(
        self, request: ChatRequest, reader: Reader, first_s: float = FIRST_S
    ) -> AsyncGenerator[Event, None]:
        """Yield the events by a reader, which tells afterwards what the server gives. Raises InferenceError."""
        estimate = prompt_tokens(request.messages, request.prompt)
        known = Progress(0, estimate)
        yield known
        model = request.model or await self.about.model()
        asked, first = time.monotonic(), 0.0
        async with aclosing(self._alive(self._sent(request, model, reader), first_s)) as pieces:
            async for piece in pieces:
                if isinstance(piece, Delta):
                    first = first or time.monotonic()
                    yield piece
                else:
                    known = piece or known
                    yield known
        end = time.monotonic()
        yield Finished(reader.reason, reader.timings(asked, first or end, end, estimate), model)

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's tokens by the server, else by a safe estimate. Raises InferenceError."""
        if self._known.counts is None:
            self._known.counts = await self._count(PROBE) is not None
        if not self._known.counts:
            return [most_tokens(text) for text in texts]
        at_once = asyncio.Semaphore(COUNTED_AT_ONCE)

        async def count(text: str) -> int:
            async with at_once:
                counted = await self._count(text)
            return most_tokens(text) if counted is None else counted

        return list(await asyncio.gather(*map(count, texts)))

    def takes(self, field: str) -> bool:
        """Tell whether the server has not refused a field of a request so far."""
        return field not in self._known.without

    async def counts(self) -> bool:
        """Tell whether the server counts tokens. Raises InferenceError."""
        return await self._count(PROBE) is not None

    async def _count(self, text: str) -> int | None:
        """Ask llama.cpp's server or vLLM, whose names for it differ; None from one that does not count."""
        model = await self.about.model()
        body = {"model": model, "content": text, "add_special": False, "prompt": text, "add_special_tokens": False}
        reply = await self._connection.call("POST", f"{root(self.server.url)}/tokenize", body, COUNT_S)
        if reply.status_code in NO_COUNTING or reply.has_redirect_location:
            return None
        if not reply.is_success:
            raise refused(reply, reply.content, self.server)
        try:
            told = reply.json()
            return int(told["count"]) if "count" in told else len(told["tokens"])
        except (ValueError, TypeError, KeyError):
            return None

    async def _sent(self, request: ChatRequest, model: str, reader: Reader) -> AsyncGenerator[Piece | None, None]:
        """Send a request, if need be without what the server refuses; yield None for a sign of life without a word."""
        url = self.server.url + ("/chat/completions" if request.messages else "/completions")
        without, again = self._known.without, True
        while again:
            again = False
            body = self._body(request, model, without)
            try:
                async with self._connection.http.stream("POST", url, json=body) as reply:
                    if reply.is_success:
                        # Only now is it known that it was these: a complaint about something else comes again.
                        self._known.without |= without
                        async with aclosing(self._read(reply, reader)) as pieces:
                            async for piece in pieces:
                                yield piece
                    else:
                        content = await reply.aread()
                        fields = self._refused_fields(reply, content, body)
                        if not fields:
                            raise refused(reply, content, self.server)
                        without, again = without | fields, True
            except (httpx.HTTPError, httpx.StreamError) as error:
                raise self._connection.failure(error) from error
        if request.logprobs is not None and reader.pieces and not reader.chances:
            self._known.without |= {"logprobs", "top_logprobs"}

    def _body(self, request: ChatRequest, model: str, without: frozenset[str]) -> dict[str, Any]:
        body = body_of(request, model, without)
        if self._known.llama and "return_progress" not in without:
            body["return_progress"] = True
        return body

    async def _read(self, reply: httpx.Response, reader: Reader) -> AsyncGenerator[Piece | None, None]:
        kind = reply.headers.get("content-type", "").partition(";")[0].strip()
        if kind == "text/event-stream":
            async for line in reply.aiter_lines():
                yield None
                for piece in reader.line(line):
                    yield piece
        elif kind == "application/json":
            for piece in reader.whole(await reply.aread()):
                yield piece
        else:
            raise not_openai(self.server, f"it sent {kind or 'no type'}")
        reader.require_end()

    def _refused_fields(self, reply: httpx.Response, content: bytes, body: Mapping[str, Any]) -> frozenset[str]:
        """Return what a server seems to refuse: with that left out, the request is worth another try."""
        if reply.status_code not in (400, 422) or type(refused(reply, content, self.server)) is not BadRequest:
            return frozenset()  # about something else: the model, the key, the length of the prompt
        return refused_fields(complaint(content, self.server), body)

    async def _alive(
        self, pieces: AsyncGenerator[Piece | None, None], first_s: float
    ) -> AsyncGenerator[Piece | None, None]:
        """Yield the pieces, and None in a silence; one that lasts too long is an error.

        One `anext` is kept and polled: a timeout that cancelled it would end the request.
        """
        pending = asyncio.ensure_future(anext(pieces, _End.END))
        heard, limit = time.monotonic(), first_s
        try:
            while True:
                done, _ = await asyncio.wait({pending}, timeout=HEARTBEAT_S)
                if not done:
                    if time.monotonic() - heard > limit:
                        raise stalled(self.server, limit)
                    yield None
                    continue
                piece = pending.result()
                if isinstance(piece, _End):
                    return
                heard = time.monotonic()
                if piece is not None:
                    limit = IDLE_S if isinstance(piece, Delta) else limit
                    yield piece
                pending = asyncio.ensure_future(anext(pieces, _End.END))
        finally:
            pending.cancel()
            await asyncio.gather(pending, return_exceptions=True)
            await pieces.aclose()
