"""Translation between the OpenAI-compatible JSON of the service and the value types of `contracts`."""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from inference.contracts import (
    MOST_LOGPROBS,
    ChatMessage,
    ChatRequest,
    Completion,
    Delta,
    Event,
    Finished,
    Part,
    PoolName,
    Progress,
    Sampling,
    Timings,
    TokenChance,
)
from inference.errors import BadRequest, InferenceError

ROLES = ("system", "user", "assistant")
DEFAULT_MAX_TOKENS = 512


def parse_chat(body: Any) -> ChatRequest:
    """Read a `/v1/chat/completions` body; raises BadRequest naming the field at fault."""
    body = _object(body)
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        raise BadRequest("'messages' must be a list with at least one message.")
    wanted = tuple(_message(entry) for entry in messages)
    return ChatRequest(messages=wanted, logprobs=_chat_logprobs(body), **_common(body))


def parse_completion(body: Any) -> ChatRequest:
    """Read a `/v1/completions` body with one prompt string; raises BadRequest naming the field at fault."""
    body = _object(body)
    prompt = body.get("prompt")
    if not isinstance(prompt, str) or not prompt:
        raise BadRequest("'prompt' must be a non-empty string.")
    wanted = body.get("logprobs")
    logprobs = None if wanted is None else _integer("logprobs", wanted, 0, MOST_LOGPROBS)
    return ChatRequest(prompt=prompt, logprobs=logprobs, **_common(body))


def wants_stream(body: Mapping[str, Any]) -> bool:
    """Tell whether the caller asked for server-sent events."""
    return body.get("stream") is True


def _object(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise BadRequest("The body must be a JSON object.")
    if body.get("n", 1) != 1:
        raise BadRequest("'n' must be 1: one answer per request.")
    return body


def _common(body: Mapping[str, Any]) -> dict[str, Any]:
    try:
        pool = PoolName(body.get("pool", PoolName.CONVERSATION))
    except ValueError:
        raise BadRequest(f"'pool' must be one of {', '.join(PoolName)}.") from None
    limit = body.get("max_completion_tokens", body.get("max_tokens"))
    return {
        "pool": pool,
        "sampling": _sampling(body),
        "max_tokens": DEFAULT_MAX_TOKENS if limit is None else _integer("max_tokens", limit, 1, 1_000_000),
        "stop": _stop(body.get("stop")),
        "conversation": _string(body, "conversation"),
        "save": _names(body.get("save_at", [])),
        "model": _string(body, "model"),
    }


def _chat_logprobs(body: Mapping[str, Any]) -> int | None:
    """Read a switch and a number, where `/v1/completions` has one number for both."""
    switch, count = body.get("logprobs"), body.get("top_logprobs")
    if not isinstance(switch, bool | None):
        raise BadRequest("'logprobs' must be true or false.")
    if count is not None and not switch:
        raise BadRequest("'top_logprobs' needs 'logprobs' to be true.")
    return _integer("top_logprobs", 0 if count is None else count, 0, MOST_LOGPROBS) if switch else None


def _message(entry: Any) -> ChatMessage:
    if not isinstance(entry, Mapping) or entry.get("role") not in ROLES:
        raise BadRequest(f"Each message needs a 'role' out of {', '.join(ROLES)}.")
    content = entry.get("content")
    if isinstance(content, str):
        return ChatMessage(entry["role"], content)
    if isinstance(content, list) and content:
        return ChatMessage(entry["role"], tuple(_part(piece) for piece in content))
    raise BadRequest("A message's 'content' must be a string or a non-empty list of text parts.")


def _part(piece: Any) -> Part:
    if not isinstance(piece, Mapping) or piece.get("type") != "text" or not isinstance(piece.get("text"), str):
        raise BadRequest("A content part must be {'type': 'text', 'text': …}; other kinds are not supported.")
    return Part(piece["text"], _string(piece, "boundary"))


def _sampling(body: Mapping[str, Any]) -> Sampling:
    return Sampling(
        temperature=_number(body, "temperature", 0.0, 0.0, 10.0),
        top_p=_number(body, "top_p", 1.0, 0.0, 1.0),
        top_k=_integer("top_k", body.get("top_k") or 0, 0, 1_000_000),
        min_p=_number(body, "min_p", 0.0, 0.0, 1.0),
        repeat_penalty=_number(body, "repeat_penalty", 1.0, 0.1, 10.0),
        seed=_integer("seed", body.get("seed") or 0, 0, 2**32 - 1),
        grammar_schema=_schema(body.get("response_format")),
    )


def _schema(response_format: Any) -> Mapping[str, Any] | None:
    if response_format is None or response_format == {"type": "text"}:
        return None
    if not isinstance(response_format, Mapping):
        raise BadRequest("'response_format' must be an object.")
    if response_format.get("type") == "json_object":
        return {"type": "object"}
    schema = _get(response_format.get("json_schema"), "schema")
    if response_format.get("type") != "json_schema" or not isinstance(schema, Mapping):
        raise BadRequest("'response_format' must be text, json_object, or json_schema with a 'schema' object.")
    return schema


def _get(value: Any, key: str) -> Any:
    return value.get(key) if isinstance(value, Mapping) else None


def _number(body: Mapping[str, Any], name: str, default: float, low: float, high: float) -> float:
    value = body.get(name)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not low <= value <= high:
        raise BadRequest(f"'{name}' must be a number from {low:g} to {high:g}.")
    return float(value)


def _integer(name: str, value: Any, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise BadRequest(f"'{name}' must be a whole number from {low} to {high}.")
    return int(value)


def _string(body: Mapping[str, Any], name: str) -> str:
    value = body.get(name, "")
    if value is None:
        return ""
    if not isinstance(value, str):
        raise BadRequest(f"'{name}' must be a string.")
    return value


def _stop(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(text for text in _names(value) if text)


def _names(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) for name in value):
        raise BadRequest("'stop' and 'save_at' must be lists of strings.")
    return tuple(value)


@dataclass
class Reply:
    """Builds the JSON of one response, in chat or in completion form, whole or in chunks."""

    model: str
    chat: bool
    _offset: int = 0
    """Characters of all tokens whose chances were told, for the completion form."""
    id: str = field(default_factory=lambda: f"cmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def chunk(self, event: Event) -> list[dict[str, Any]]:
        """Return the stream chunks for one event (two for the last: the reason, then usage and timings)."""
        match event:
            case Progress(read, total):
                return [self._envelope([], progress={"read": read, "total": total})]
            case Delta(text, chances):
                content: dict[str, Any] = {"delta": {"content": text} if text else {}} if self.chat else {"text": text}
                return [self._envelope([self._choice(content, None, chances)])]
            case Finished():
                last = self._choice({"delta": {}} if self.chat else {"text": ""}, event.reason)
                return [self._envelope([last]), self._envelope([], **_accounts(event.timings))]

    def whole(self, answer: Completion) -> dict[str, Any]:
        """Return the response of a request that did not ask for a stream."""
        message = {"role": "assistant", "content": answer.text}
        content: dict[str, Any] = {"message": message} if self.chat else {"text": answer.text}
        choice = self._choice(content, answer.reason, answer.logprobs)
        return {**self._envelope([choice], **_accounts(answer.timings)), "object": self._object(chunk=False)}

    def _choice(
        self, content: Mapping[str, Any], reason: str | None, chances: Sequence[TokenChance] = ()
    ) -> dict[str, Any]:
        return {"index": 0, "finish_reason": reason, "logprobs": self._logprobs(chances), **content}

    def _logprobs(self, chances: Sequence[TokenChance]) -> dict[str, Any] | None:
        """Return the chances as each of OpenAI's two interfaces has them, null without any."""
        if not chances:
            return None
        if self.chat:
            return {"content": [chance.to_wire() for chance in chances], "refusal": None}
        offsets = []
        for chance in chances:
            offsets.append(self._offset)
            self._offset += len(chance.text)
        return {
            "tokens": [chance.text for chance in chances],
            "token_logprobs": [chance.logprob for chance in chances],
            "top_logprobs": [{other.text: other.logprob for other in chance.top} for chance in chances],
            "text_offset": offsets,
        }

    def _object(self, *, chunk: bool) -> str:
        if not self.chat:
            return "text_completion"
        return "chat.completion.chunk" if chunk else "chat.completion"

    def _envelope(self, choices: Sequence[Mapping[str, Any]], **extra: Any) -> dict[str, Any]:
        head = {"id": self.id, "object": self._object(chunk=True), "created": self.created, "model": self.model}
        return {**head, "choices": list(choices), **extra}


def _accounts(timings: Timings) -> dict[str, Any]:
    usage = {
        "prompt_tokens": timings.prompt,
        "completion_tokens": timings.generated,
        "total_tokens": timings.prompt + timings.generated,
        "prompt_tokens_details": {"cached_tokens": timings.restored + timings.reused},
    }
    return {"usage": usage, "timings": timings.to_wire()}


def error_body(error: InferenceError) -> dict[str, Any]:
    """Return the error object that both the `openai` client and the gateway understand."""
    return {"error": {"message": error.message, "type": type(error).__name__, "code": error.code}}
