"""Speaking with the local inference service: the first of the two ways on which the gateway reaches a model."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

import httpx

from inference import endpoint
from inference.contracts import (
    ChatRequest,
    Delta,
    EngineState,
    Event,
    Finished,
    Health,
    Progress,
    Timings,
    TokenChance,
)
from inference.errors import (
    InferenceError,
    NotAuthorised,
    ServiceLost,
    ServiceStalled,
    ServiceUnavailable,
    from_code,
)
from inference.supervise import status
from inference.switching import waiting

CONNECT_S = 2.0
IDLE_S = 30.0
"""The service sends a heartbeat at least every 2 s; a silence of this many seconds means that it hangs."""

NOT_RUNNING = "Readahead is not running. Start it with `make run` or `manage.py up`."
CHANGED = "The model was changed in the middle of the answer. Try again."
NOT_KEPT = "Readahead was started for a server in place of the local model. Stop it (Ctrl-C) and run it again."
NOT_UNDERSTOOD = "The model service is of another version than the rest. Restart Readahead."

_LIMITS = httpx.Timeout(IDLE_S, connect=CONNECT_S)
_HEALTH_LIMITS = httpx.Timeout(5.0, connect=CONNECT_S)


class LocalService:
    """Asynchronous access to the service; belongs to the event loop that made it."""

    def __init__(self) -> None:
        # trust_env off: a proxy variable of the user's shell must not see documents on their way to loopback.
        # Nothing to verify on loopback without TLS, and reading the trusted authorities would take 20 ms a client.
        self._client = httpx.AsyncClient(timeout=_LIMITS, trust_env=False, verify=False)  # noqa: S501

    async def close(self) -> None:
        """Give the connections back."""
        await self._client.aclose()

    async def stream(self, request: ChatRequest) -> AsyncGenerator[Event, None]:
        """Yield the request's events as they come; see `Gateway.stream`. Raises InferenceError."""
        body = to_wire(request, stream=True)
        with _named_failures():
            async with self._client.stream("POST", json=body, **_to("/v1/chat/completions")) as reply:
                if reply.is_error:
                    raise _error(reply.status_code, await reply.aread())
                reader = StreamReader()
                async for line in reply.aiter_lines():
                    for event in reader.feed(line):
                        yield event
                if not reader.finished:
                    raise ServiceLost

    async def count_tokens(self, texts: Sequence[str]) -> list[int]:
        """Return each text's tokens under the loaded model, special tokens off. Raises InferenceError."""
        with _named_failures():
            reply = await self._client.post(json={"texts": list(texts)}, **_to("/tokenize"))
        return _counts(reply)

    async def forget(self, name: str) -> int:
        """Delete the states kept under a boundary's name, of every model; return how many. Raises InferenceError."""
        with _named_failures():
            reply = await self._client.delete(**_to(f"/snapshots/{quote(name, safe='')}"))
        if reply.is_error:
            raise _error(reply.status_code, reply.content)
        return int(reply.json()["forgotten"])

    async def health(self) -> Health:
        """Return the service's state; a service that cannot be reached is NOT_LOADED with the reason."""
        try:
            with _named_failures():
                reply = await self._client.get(timeout=_HEALTH_LIMITS, **_to("/health"))
            return _health(reply)
        except InferenceError as error:
            return Health(EngineState.NOT_LOADED, message=error.message)

    async def health_when_served(self) -> Health:
        """Return the service's state; where a model is on its way or asleep, once it is there."""
        from django.conf import settings

        await waiting.until_served(settings.RUN_DIR)
        return await self.health()


class StreamReader:
    """Turns the lines of an event stream into events; usage and timings come one chunk after the finish reason."""

    def __init__(self) -> None:
        self.finished = False
        self._reason: Any = "stop"

    def feed(self, line: str) -> Iterator[Event]:
        """Yield what one line of the stream means. Raises InferenceError for an error chunk."""
        if not line.startswith("data: ") or line == "data: [DONE]":
            return
        chunk = json.loads(line.removeprefix("data: "))
        if "error" in chunk:
            raise from_code(chunk["error"].get("code") or "", chunk["error"].get("message") or "")
        if "progress" in chunk:
            yield Progress(**chunk["progress"])
        for choice in chunk["choices"]:
            self._reason = choice.get("finish_reason") or self._reason
            text = choice.get("text") or choice.get("delta", {}).get("content") or ""
            entries = (choice.get("logprobs") or {}).get("content") or ()
            if text or entries:
                yield Delta(text, tuple(TokenChance.from_wire(entry) for entry in entries))
        if "timings" in chunk:
            self.finished = True
            yield Finished(self._reason, Timings.from_wire(chunk["timings"]), chunk.get("model", ""))


def to_wire(request: ChatRequest, *, stream: bool) -> dict[str, Any]:
    """Return the JSON body of a request; the service's `wire.parse_chat` is its inverse."""
    sampling = asdict(request.sampling)
    schema = sampling.pop("grammar_schema")
    body: dict[str, Any] = {
        "messages": [_message(message) for message in request.messages],
        "pool": str(request.pool),
        "max_tokens": request.max_tokens,
        "stop": list(request.stop),
        "conversation": request.conversation,
        "save_at": list(request.save),
        "model": request.model,
        "stream": stream,
        **sampling,
    }
    if schema is not None:
        body["response_format"] = {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}
    if request.logprobs is not None:
        body.update(logprobs=True, top_logprobs=request.logprobs)
    return body


def _message(message: Any) -> dict[str, Any]:
    if isinstance(message.content, str):
        return {"role": message.role, "content": message.content}
    parts = [{"type": "text", "text": part.text, "boundary": part.boundary} for part in message.content]
    return {"role": message.role, "content": parts}


def _endpoint() -> endpoint.Endpoint:
    from django.conf import settings

    published = endpoint.read(settings.RUN_DIR)
    if published is None:
        raise _unavailable()
    return published


def _unavailable() -> ServiceUnavailable:
    """Say whether somebody starts the service again, or nobody."""
    from django.conf import settings

    running = status.read(settings.RUN_DIR)
    if running is None:
        return ServiceUnavailable(NOT_RUNNING)
    if running.children and running.model is None and "inference" not in running.children:
        return ServiceUnavailable(NOT_KEPT)
    return ServiceUnavailable(waiting.reason_of_absence(running.model) if running.model else "")


def _is_changing() -> bool:
    """Tell whether the model is taken away on purpose, for another one."""
    from django.conf import settings

    report = waiting.model_report(settings.RUN_DIR)
    return report is not None and report.is_changing


def _to(path: str) -> dict[str, Any]:
    """Return address and key for a call, both of the same service: another one may take its place at any moment."""
    service = _endpoint()
    return {"url": service.url + path, "headers": {"Authorization": f"Bearer {service.key}"}}


@contextmanager
def _named_failures() -> Iterator[None]:
    """Translate transport failures; the distinction is whether an answer could have begun already."""
    try:
        yield
    except ServiceUnavailable as error:
        # The service itself says no more than this when it is ended in the middle of an answer.
        if error.message == ServiceUnavailable.default_message and _is_changing():
            raise ServiceUnavailable(CHANGED) from error
        raise
    except (httpx.ConnectError, httpx.ConnectTimeout) as error:
        raise _unavailable() from error
    except httpx.TimeoutException as error:
        raise ServiceStalled from error
    except (httpx.TransportError, httpx.StreamError) as error:
        raise ServiceLost(CHANGED if _is_changing() else "") from error


def _error(code: int, content: bytes) -> InferenceError:
    if code == 401:
        return NotAuthorised()
    try:
        detail: Mapping[str, Any] = json.loads(content)["error"]
    except (ValueError, KeyError, TypeError):
        return InferenceError(f"The model service answered with status {code}. Try again.")
    return from_code(detail.get("code") or "", detail.get("message") or "")


def _counts(reply: httpx.Response) -> list[int]:
    if reply.is_error:
        raise _error(reply.status_code, reply.content)
    return [int(count) for count in reply.json()["counts"]]


def _health(reply: httpx.Response) -> Health:
    if reply.is_error:
        raise _error(reply.status_code, reply.content)
    try:
        return Health.from_wire(reply.json())
    except (ValueError, TypeError, AttributeError):
        return Health(EngineState.NOT_LOADED, message=NOT_UNDERSTOOD)
