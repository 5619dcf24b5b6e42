"""Translation between our requests and events and the interface that OpenAI-compatible servers have in common."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inference.contracts import (
    LEAST_LOGPROB,
    Chance,
    ChatRequest,
    Delta,
    FinishReason,
    Progress,
    Timings,
    TokenChance,
)
from inference.errors import InferenceError, ServiceLost
from inference.external.choice import Server
from inference.external.failures import in_stream, not_openai
from inference.external.plain import plain

OPTIONAL = ("stream_options", "logprobs", "top_logprobs", "top_k", "min_p", "repeat_penalty", "seed", "return_progress")
"""Fields without which a request means the same, or nearly: a server that refuses one is asked again without it."""
ONLY_IF_NAMED = ("temperature", "top_p", "max_tokens")
"""Fields that are left out, or renamed, only where a server says that it is these."""
RENAMED = {"max_tokens": "max_completion_tokens"}

FEW_TOKENS = 8
"""For an answer of one word from a server without chances, which begins with white space or spells it in pieces."""


def body_of(request: ChatRequest, model: str, without: Collection[str] = ()) -> dict[str, Any]:
    """Return the JSON body of a request, without the fields that the server is known to refuse."""
    sampling = request.sampling
    body: dict[str, Any] = {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "max_tokens": request.max_tokens,
        "temperature": sampling.temperature,
    }
    if request.messages:
        body["messages"] = [{"role": one.role, "content": plain(one.text)} for one in request.messages]
    else:
        body["prompt"] = request.prompt
    if request.stop:
        body["stop"] = list(request.stop)
    if sampling.temperature:
        defaults = {"top_p": 1.0, "top_k": 0, "min_p": 0.0, "repeat_penalty": 1.0}
        chosen = {"seed": sampling.seed, **{name: getattr(sampling, name) for name in defaults}}
        body.update({name: value for name, value in chosen.items() if value != defaults.get(name)})
    if sampling.grammar_schema is not None:
        schema = {"name": "answer", "schema": sampling.grammar_schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    body.update(_chances_of(request, without))
    for name in without:
        value = body.pop(name, None)
        if name in RENAMED and value is not None:
            body[RENAMED[name]] = value
    return body


def _chances_of(request: ChatRequest, without: Collection[str]) -> dict[str, Any]:
    if request.logprobs is None:
        return {}
    if "logprobs" in without:
        return {"max_tokens": max(request.max_tokens, FEW_TOKENS)}
    return {"logprobs": True, "top_logprobs": request.logprobs} if request.messages else {"logprobs": request.logprobs}


def refused_fields(complaint: str, body: Mapping[str, Any]) -> frozenset[str]:
    """Return the fields that a server which did not accept a request may have meant; none if it was something else.

    Those that it names, else all that can be left out.
    """
    named = {name for name in (*OPTIONAL, *ONLY_IF_NAMED) if name in body and name in complaint}
    optional = {name for name in OPTIONAL if name in body}
    refused = named or (optional if "response_format" not in complaint else set())
    return frozenset(refused | ({"top_logprobs"} if "logprobs" in refused else set()))


@dataclass
class Reader:
    """Reads one reply, as a stream of lines or whole, and remembers what the server has told in it."""

    server: Server
    ended: bool = False
    reason: FinishReason = "stop"
    streams: bool = True
    chances: bool = False
    thinks: bool = False
    pieces: int = 0
    usage: Mapping[str, Any] | None = None
    own: Mapping[str, Any] | None = None
    """Timings as llama.cpp's server gives them."""

    def line(self, line: str) -> Iterator[Delta | Progress]:
        """Yield what one line of a stream means. Raises InferenceError."""
        if line.startswith("error:"):
            line = f"data:{json.dumps({'error': line.removeprefix('error:').strip()})}"
        if not line.startswith("data:"):
            return
        data = line.removeprefix("data:").strip()
        if data == "[DONE]":
            self.ended = True
            return
        yield from self._chunk(self._parsed(data))

    def whole(self, content: bytes) -> Iterator[Delta | Progress]:
        """Yield what a reply means that did not come as a stream. Raises InferenceError."""
        self.streams = False
        yield from self._chunk(self._parsed(content))
        self.ended = True

    def timings(self, asked: float, first: float, end: float, prompt: int) -> Timings:
        """Return the account of the request by what the server has told.

        Moments in monotonic seconds; `prompt` is the estimate for a server that counts nothing. What a server has
        remembered counts as reused where it says so; else everything counts as read.
        """
        if self.own is not None and "prompt_n" in self.own:
            return self._told(first - asked)
        usage = self.usage or {}
        tokens = int(usage.get("prompt_tokens") or prompt)
        cached = min(int((usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0), tokens)
        return Timings(
            prompt=tokens,
            reused=cached,
            read=tokens - cached,
            generated=int(usage.get("completion_tokens") or self.pieces),
            read_ms=1000 * (first - asked),
            decode_ms=1000 * (end - first),
        )

    def _told(self, first_s: float) -> Timings:
        own = self.own or {}
        read, cached = int(own["prompt_n"]), int(own.get("cache_n") or 0)
        read_ms = float(own.get("prompt_ms") or 0)
        return Timings(
            prompt=read + cached,
            reused=cached,
            read=read,
            generated=int(own.get("predicted_n") or self.pieces),
            wait_ms=max(0.0, 1000 * first_s - read_ms),
            read_ms=read_ms,
            decode_ms=float(own.get("predicted_ms") or 0),
        )

    def _parsed(self, data: str | bytes) -> Mapping[str, Any]:
        try:
            chunk = json.loads(data)
        except ValueError:
            raise not_openai(self.server, "what it sends is no JSON") from None
        if not isinstance(chunk, Mapping):
            raise not_openai(self.server, "what it sends is no object")
        return chunk

    def _chunk(self, chunk: Mapping[str, Any]) -> Iterator[Delta | Progress]:
        if chunk.get("error"):
            raise in_stream(chunk["error"], self.server)
        self.usage = chunk.get("usage") or self.usage
        self.own = chunk.get("timings") or self.own
        if progress := chunk.get("prompt_progress"):
            yield Progress(int(progress.get("processed") or 0), int(progress.get("total") or 0))
        choices = chunk.get("choices")
        if not isinstance(choices, Sequence):
            if not self.streams:
                raise not_openai(self.server, "its reply has no 'choices'")
            return
        for choice in choices:
            yield from self._choice(choice)

    def _choice(self, choice: Mapping[str, Any]) -> Iterator[Delta]:
        if reason := choice.get("finish_reason"):
            self._finish(str(reason))
        content = choice.get("delta") or choice.get("message") or {}
        self.thinks = self.thinks or bool(content.get("reasoning_content") or content.get("reasoning"))
        text = content.get("content") or choice.get("text") or ""
        chances = chances_of(choice.get("logprobs"))
        self.chances = self.chances or bool(chances)
        if text or chances:
            self.pieces += 1
            yield Delta(text, chances)

    def _finish(self, reason: str) -> None:
        if reason == "content_filter":
            raise InferenceError("The server held the answer back: its content filter did not let it pass.")
        self.ended = True
        self.reason = "length" if reason == "length" else "stop"

    def require_end(self) -> None:
        """Raise ServiceLost for a reply that broke off."""
        if not self.ended:
            raise ServiceLost(f"The connection to {self.server.url} broke in the middle of the answer. Try again.")


def chances_of(logprobs: Any) -> tuple[TokenChance, ...]:
    """Return the chances of tokens in either form that OpenAI has; none where a server has one of its own."""
    try:
        if isinstance(logprobs, Mapping) and "tokens" in logprobs:
            return tuple(_of_completion(logprobs))
        return tuple(TokenChance.from_wire(entry) for entry in (logprobs or {}).get("content") or ())
    except (KeyError, TypeError, ValueError, AttributeError):
        return ()


def _of_completion(logprobs: Mapping[str, Any]) -> Iterator[TokenChance]:
    tokens, own = logprobs["tokens"], logprobs["token_logprobs"]
    tops = logprobs.get("top_logprobs") or [None] * len(tokens)
    for token, logprob, top in zip(tokens, own, tops, strict=True):
        others = sorted((top or {}).items(), key=lambda other: -other[1])
        chances = tuple(Chance(text.encode(), float(share)) for text, share in others)
        yield TokenChance(token.encode(), LEAST_LOGPROB if logprob is None else float(logprob), chances)
