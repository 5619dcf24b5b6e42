"""What a test of the connection has found out about a server."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class Report:
    """`error` is a sentence when no answer came; the rest then says how far it got.

    `models` are those that the server lists (at most `MOST_MODELS`), `model` is the one that answered. Of the flags,
    `streams` tells that the answer came in pieces, `chances` that tokens had their probabilities, `usage` that tokens
    were counted, `stream_options` that this could be asked for, `cached` that it says what it remembered, `counts` that
    it counts the tokens of a text, `thinks` that the model thought before it answered. `window` is 0 where it is not
    told. `first_ms` passed before the first word.
    """

    error: str = ""
    models: tuple[str, ...] = ()
    model: str = ""
    streams: bool = False
    chances: bool = False
    usage: bool = False
    stream_options: bool = False
    cached: bool = False
    counts: bool = False
    thinks: bool = False
    window: int = 0
    first_ms: float = 0.0

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `asdict` wrote; unknown keys are ignored, as another version may have written them."""
        known = {name: data[name] for name in cls.__dataclass_fields__ if name in data}
        return cls(**{**known, "models": tuple(known.get("models", ()))})


MOST_MODELS = 200
