"""A client of the service that notes when each event arrived, and may leave at any moment."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import httpx

from inference.contracts import ChatMessage, ChatRequest, Delta, Event, Part, Progress, Timings
from inference.endpoint import Endpoint
from inference.errors import from_code
from inference.gateway import StreamReader, to_wire

IDLE = httpx.Timeout(120.0, connect=5.0)


@dataclass
class Answer:
    """What came back. Times are seconds after sending; `first_progress` is when the engine had taken the request up."""

    text: str = ""
    first_progress: float = 0.0
    first_text: float = 0.0
    ended: float = 0.0
    timings: Timings = field(default_factory=Timings)

    def note(self, event: Event, after: float) -> None:
        """Take an event into account."""
        if isinstance(event, Progress):
            # The heartbeat of a request in line reports 0 of 0.
            if event.total:
                self.first_progress = self.first_progress or after
        elif isinstance(event, Delta):
            self.first_text = self.first_text or after
            self.text += event.text
        else:
            self.ended, self.timings = after, event.timings


class Client:
    """Asynchronous client of one service; reads the stream with the gateway's own reader."""

    def __init__(self, where: Endpoint) -> None:
        headers = {"Authorization": f"Bearer {where.key}"}
        self._http = httpx.AsyncClient(base_url=where.url, headers=headers, timeout=IDLE, trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        await self._http.aclose()

    async def ask(self, request: ChatRequest) -> Answer:
        """Return the whole answer. Raises InferenceError."""
        answer = Answer()
        began = time.perf_counter()
        async with aclosing(self.stream(request)) as events:
            async for event in events:
                answer.note(event, time.perf_counter() - began)
        return answer

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Yield the events; closing the iterator closes the connection. Raises InferenceError."""
        path, body = _body(request)
        async with self._http.stream("POST", path, json=body) as reply:
            if reply.is_error:
                await reply.aread()
                detail = reply.json()["error"]
                raise from_code(detail["code"], detail["message"])
            reader = StreamReader()
            async for line in reply.aiter_lines():
                for event in reader.feed(line):
                    yield event


def _body(request: ChatRequest) -> tuple[str, dict[str, Any]]:
    body = to_wire(request, stream=True)
    if request.messages:
        return "/v1/chat/completions", body
    return "/v1/completions", {**body, "prompt": request.prompt}


def turns(*texts: str | tuple[Part, ...]) -> tuple[ChatMessage, ...]:
    """Return alternating messages of user and assistant."""
    return tuple(ChatMessage("assistant" if index % 2 else "user", text) for index, text in enumerate(texts))
