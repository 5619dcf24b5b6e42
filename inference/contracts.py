"""The value types that cross the border of the inference service, on both of its sides."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any, Literal, Self

Role = Literal["system", "user", "assistant"]
FinishReason = Literal["stop", "length", "cancelled"]

MOST_LOGPROBS = 20
"""Alternatives that may be asked for at each token, as in OpenAI's interface."""

LEAST_LOGPROB = -9999.0
"""Stands for a probability of 0, whose logarithm JSON cannot hold; OpenAI's number for it."""


class PoolName(StrEnum):
    """Slot pools in order of priority; a pool never borrows another's slot."""

    CONVERSATION = "conversation"
    SERVICE = "service"
    STUDY = "study"


class EngineState(StrEnum):
    """Life of the model inside the service: NOT_LOADED → LOADING → READY, or FAILED with a cause."""

    NOT_LOADED = "NOT_LOADED"
    LOADING = "LOADING"
    READY = "READY"
    FAILED = "FAILED"


@dataclass(frozen=True)
class Part:
    """A piece of a message that is tokenized on its own.

    Pieces are tokenized one by one and with special tokens off, so the tokens up to the end of a piece do not depend
    on what follows: `boundary` names that point, and a snapshot can be saved or restored exactly there.
    """

    text: str
    boundary: str = ""


@dataclass(frozen=True)
class ChatMessage:
    """One message; content is plain text or an ordered list of parts."""

    role: Role
    content: str | tuple[Part, ...]

    @property
    def parts(self) -> tuple[Part, ...]:
        return (Part(self.content),) if isinstance(self.content, str) else self.content

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts)


@dataclass(frozen=True)
class Sampling:
    """Sampling settings; temperature 0 is greedy and reproducible whatever the rest says."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    seed: int = 0
    grammar_schema: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ChatRequest:
    """One generation.

    Either `messages`, which go through the model's chat template, or a raw `prompt`, which is tokenized as it stands.
    `max_tokens` bounds the answer; `stop` are strings that end it and are not part of it. `conversation` is an opaque
    key that helps the engine find the slot that served the conversation before. `save` names boundaries whose state
    is to be kept on disk when prefill passes them. `model` empty means the one that is loaded. `logprobs` asks for the
    chances of each token of the answer with so many of the likeliest beside it, 0…`MOST_LOGPROBS` (see `TokenChance`).
    """

    messages: tuple[ChatMessage, ...] = ()
    prompt: str = ""
    pool: PoolName = PoolName.CONVERSATION
    sampling: Sampling = field(default_factory=Sampling)
    max_tokens: int = 512
    stop: tuple[str, ...] = ()
    conversation: str = ""
    save: tuple[str, ...] = ()
    model: str = ""
    logprobs: int | None = None


@dataclass(frozen=True)
class Timings:
    """Where the tokens of one request came from and what each part cost.

    Token counts: `prompt = restored + reused + read`, where restored came from a snapshot, reused was still in a slot,
    and read was prefilled now (less than the rest when the request was cancelled during prefill). Milliseconds:
    `wait_ms` in line, `restore_ms`, `read_ms` prefill, `decode_ms` generation.
    """

    prompt: int = 0
    restored: int = 0
    reused: int = 0
    read: int = 0
    generated: int = 0
    wait_ms: float = 0.0
    restore_ms: float = 0.0
    read_ms: float = 0.0
    decode_ms: float = 0.0

    @property
    def read_tps(self) -> float:
        """Prefill speed in tokens/s, 0 when nothing was read."""
        return 1000.0 * self.read / self.read_ms if self.read_ms else 0.0

    @property
    def decode_tps(self) -> float:
        """Generation speed in tokens/s behind the first token, whose time is prefill; 0 when nothing followed it."""
        return 1000.0 * (self.generated - 1) / self.decode_ms if self.generated > 1 and self.decode_ms else 0.0

    def __add__(self, other: Timings) -> Timings:
        """Return the sums, for a question that took two requests."""
        ours, theirs = asdict(self), asdict(other)
        return Timings(**{name: ours[name] + theirs[name] for name in ours})

    def to_wire(self) -> dict[str, float]:
        """JSON object of all fields and both speeds."""
        return {**asdict(self), "read_tps": round(self.read_tps, 2), "decode_tps": round(self.decode_tps, 2)}

    @classmethod
    def from_wire(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_wire` wrote; unknown keys are ignored so that either side may be newer."""
        return cls(**{k: data[k] for k in cls.__dataclass_fields__ if k in data})


@dataclass(frozen=True)
class Progress:
    """Prefill heartbeat: `read` of `total` prompt tokens are in the slot (restored and reused ones included)."""

    read: int
    total: int


@dataclass(frozen=True)
class Chance:
    """A token, by its bytes, and the natural logarithm of the probability that it comes next."""

    data: bytes
    logprob: float

    @property
    def text(self) -> str:
        """The token as text; a character of which it holds only a part is shown as U+FFFD."""
        return self.data.decode("utf-8", "replace")

    @property
    def probability(self) -> float:
        """0…1."""
        return math.exp(self.logprob)

    def to_wire(self) -> dict[str, Any]:
        """JSON object as in OpenAI's `top_logprobs`."""
        return {"token": self.text, "logprob": self.logprob, "bytes": list(self.data)}

    @classmethod
    def from_wire(cls, entry: Mapping[str, Any]) -> Chance:
        """Read such an object; some servers leave the bytes out. Raises KeyError, TypeError or ValueError."""
        given = entry.get("bytes")
        data = str(entry["token"]).encode("utf-8", "replace") if given is None else bytes(given)
        return cls(data, float(entry["logprob"]))


@dataclass(frozen=True)
class TokenChance(Chance):
    """The chance of one token of an answer, and of the likeliest tokens in its place, likeliest first.

    They are the model's own, before penalties, grammar, temperature and the rest of `Sampling`: so the token that came
    need not be among them, and asking for them changes nothing about the answer. The token that ended an answer has
    one too, though it is no part of the text; special tokens are called by their names.
    """

    top: tuple[Chance, ...] = ()

    def to_wire(self) -> dict[str, Any]:
        """JSON object as in OpenAI's `choices[].logprobs.content`."""
        return {**super().to_wire(), "top_logprobs": [other.to_wire() for other in self.top]}

    @classmethod
    def from_wire(cls, entry: Mapping[str, Any]) -> TokenChance:
        """Read such an object. Raises KeyError, TypeError or ValueError."""
        own = Chance.from_wire(entry)
        return cls(own.data, own.logprob, tuple(Chance.from_wire(other) for other in entry.get("top_logprobs") or ()))


@dataclass(frozen=True)
class Delta:
    """The next piece of the answer; never cuts a character in two.

    `chances` are those of the tokens computed for it, when they were asked for. Its text may then be empty, as when a
    token has only a part of a character, or could begin a stop string.
    """

    text: str
    chances: tuple[TokenChance, ...] = ()


@dataclass(frozen=True)
class Finished:
    """The last event of a request that ended well."""

    reason: FinishReason
    timings: Timings
    model: str = ""


Event = Progress | Delta | Finished


@dataclass(frozen=True)
class Completion:
    """A whole answer, for callers that do not stream; `logprobs` are its tokens' chances when they were asked for."""

    text: str
    reason: FinishReason
    timings: Timings
    model: str = ""
    logprobs: tuple[TokenChance, ...] = ()

    @classmethod
    def of(cls, pieces: Sequence[Delta], end: Finished) -> Self:
        """Put the events of a stream together."""
        text = "".join(piece.text for piece in pieces)
        chances = tuple(chance for piece in pieces for chance in piece.chances)
        return cls(text, end.reason, end.timings, end.model, chances)


@dataclass(frozen=True)
class Health:
    """What `/health` of the service says.

    `progress` is 0…1 while loading, `message` the cause of a failure. `notes` are sentences about how the model runs:
    why the window is smaller than wished, what was given up, what would help. `model_key` tells two models apart
    whatever they are called. `kept_bytes` of at most `kept_quota` are taken by stored states (0: nothing is kept);
    `trouble` says why the last one could not be stored, empty when it could. `keeps` False: the state of what was read
    can be kept nowhere, as with a server that is not ours; `where` is that server, empty for the service.
    """

    state: EngineState
    model: str = ""
    pid: int = 0
    progress: float = 0.0
    message: str = ""
    window: int = 0
    prefill_tps: float = 0.0
    decode_tps: float = 0.0
    notes: tuple[str, ...] = ()
    model_key: str = ""
    kept_bytes: int = 0
    kept_quota: int = 0
    trouble: str = ""
    keeps: bool = True
    where: str = ""

    @classmethod
    def from_wire(cls, data: Mapping[str, Any]) -> Self:
        """Read what the service wrote; unknown keys are ignored and missing ones left out, as either side may be newer.

        Raises ValueError for a state that this side does not know.
        """
        known = {key: data[key] for key in cls.__dataclass_fields__ if key in data}
        known["state"] = EngineState(data.get("state", ""))
        known["notes"] = tuple(data.get("notes") or ())
        return cls(**known)
