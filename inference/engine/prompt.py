"""From a request to the token ids that the model reads, with the named boundaries in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from inference.contracts import ChatRequest, Part
from inference.engine.template import Segment, Templates, TemplateText


class Tokenizer(Protocol):
    """The part of a model that turns text into tokens."""

    @property
    def bos(self) -> int | None: ...

    def tokenize(self, text: str, *, special: bool) -> list[int]: ...


@dataclass(frozen=True)
class Prompt:
    """Token ids, and for each named boundary how many tokens come before it."""

    tokens: tuple[int, ...]
    boundaries: Mapping[str, int] = field(default_factory=dict)


def build_prompt(request: ChatRequest, templates: Templates, tokenizer: Tokenizer) -> Prompt:
    """Return the prompt of a request.

    Each part is tokenized on its own, so the ids before a boundary never depend on what comes after it. Special tokens
    are recognised in the template's words only: `<|im_start|>` in a document is nine characters.
    """
    segments = templates.segments(request.messages) if request.messages else [Part(request.prompt)]
    return _tokenize(segments, tokenizer)


def _tokenize(segments: list[Segment], tokenizer: Tokenizer) -> Prompt:
    tokens: list[int] = []
    boundaries: dict[str, int] = {}
    for segment in segments:
        tokens += tokenizer.tokenize(segment.text, special=isinstance(segment, TemplateText))
        if isinstance(segment, Part) and segment.boundary:
            boundaries[segment.boundary] = len(tokens)
    if tokenizer.bos is not None and tokens[:1] != [tokenizer.bos]:
        tokens.insert(0, tokenizer.bos)
        boundaries = {name: at + 1 for name, at in boundaries.items()}
    return Prompt(tuple(tokens), boundaries)
