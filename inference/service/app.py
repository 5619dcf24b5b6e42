"""The HTTP surface of the inference service: OpenAI-compatible routes over any engine."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from inference.contracts import ChatRequest
from inference.engine.port import Engine
from inference.errors import BadRequest, InferenceError, NotAuthorised
from inference.service.stream import Answer, EventStream, collect
from inference.service.wire import Reply, error_body, parse_chat, parse_completion, wants_stream

STATUS = {
    "unavailable": 503,
    "loading": 503,
    "model_failed": 503,
    "stalled": 503,
    "busy": 429,
    "unknown_model": 404,
    "prompt_too_long": 400,
    "bad_request": 400,
    "not_authorised": 401,
}
Handler = Callable[[Request], Awaitable[Response]]


def build_app(engine: Engine, key: str) -> Starlette:
    """Return the application; every route wants `Authorization: Bearer <key>`."""
    routes = Routes(engine)
    table: list[tuple[str, Handler, str]] = [
        ("/v1/chat/completions", routes.chat, "POST"),
        ("/v1/completions", routes.completion, "POST"),
        ("/v1/models", routes.models, "GET"),
        ("/tokenize", routes.tokenize, "POST"),
        ("/snapshots/{name:path}", routes.forget, "DELETE"),
        ("/health", routes.health, "GET"),
        ("/metrics", routes.metrics, "GET"),
    ]
    return Starlette(
        routes=[Route(path, _guarded(handler, key), methods=[method]) for path, handler, method in table],
        exception_handlers={InferenceError: _refuse, HTTPException: _refuse_http},
    )


def _guarded(handler: Handler, key: str) -> Handler:
    expected = f"Bearer {key}".encode()

    async def guarded(request: Request) -> Response:
        if not hmac.compare_digest(request.headers.get("authorization", "").encode(), expected):
            raise NotAuthorised
        return await handler(request)

    return guarded


async def _refuse(_request: Request, error: Exception) -> Response:
    if not isinstance(error, InferenceError):
        raise error
    return JSONResponse(error_body(error), status_code=STATUS.get(error.code, 500))


async def _refuse_http(_request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    body = error_body(BadRequest(f"{error.detail}."))
    return JSONResponse(body, status_code=error.status_code, headers=error.headers)


class Routes:
    """The handlers, bound to one engine."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def chat(self, request: Request) -> Response:
        """Answer a list of messages."""
        body = await _json(request)
        return await self._generate(request, parse_chat(body), stream=wants_stream(body), chat=True)

    async def completion(self, request: Request) -> Response:
        """Continue a raw prompt."""
        body = await _json(request)
        return await self._generate(request, parse_completion(body), stream=wants_stream(body), chat=False)

    async def _generate(self, request: Request, wanted: ChatRequest, *, stream: bool, chat: bool) -> Response:
        answer = await Answer.begin(self._engine, wanted)
        reply = Reply(self._engine.health().model, chat)
        if stream:
            return EventStream(answer, reply)
        outcome = await collect(answer, request.receive)
        if outcome is None:
            return Response(status_code=499)
        return JSONResponse(reply.whole(outcome))

    async def models(self, _request: Request) -> Response:
        """List the one loaded model."""
        model = {"id": self._engine.health().model, "object": "model", "created": 0, "owned_by": "readahead"}
        return JSONResponse({"object": "list", "data": [model]})

    async def tokenize(self, request: Request) -> Response:
        """Count the tokens of each text: `{"texts": […]}` → `{"counts": […]}`."""
        body = await _json(request)
        texts = body.get("texts") if isinstance(body, dict) else None
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise BadRequest("'texts' must be a list of strings.")
        return JSONResponse({"counts": await run_in_threadpool(self._engine.count_tokens, texts)})

    async def forget(self, request: Request) -> Response:
        """Delete the snapshots of a boundary name: `{"forgotten": how many}`."""
        name = request.path_params["name"]
        return JSONResponse({"forgotten": await run_in_threadpool(self._engine.forget, name)})

    async def health(self, _request: Request) -> Response:
        """Say the engine's state; the status is 200 whatever it is, since the service itself answers."""
        return JSONResponse(asdict(self._engine.health()))

    async def metrics(self, _request: Request) -> Response:
        """Counters and gauges in the Prometheus text format."""
        lines = [f"readahead_{name} {value:.12g}" for name, value in sorted(self._engine.metrics().items())]
        return PlainTextResponse("\n".join(lines) + "\n", media_type="text/plain; version=0.0.4")


async def _json(request: Request) -> Any:
    try:
        return await request.json()
    except ValueError:
        raise BadRequest("The body is not valid JSON.") from None
