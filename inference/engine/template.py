"""Chat templates: from messages to an ordered list of template text and message parts.

The template never sees the messages' text. It renders placeholders, and the result is cut at them, so that the words of
the template may be tokenized with special tokens and the words of people and documents without.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NoReturn

from jinja2 import TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment

from inference.contracts import ChatMessage, Part

logger = logging.getLogger(__name__)

# Code points of the private use area: no template contains them, and trimming does not touch them.
_MARK = "\ue000{}\ue001"
_MARKED = re.compile("\ue000(\\d+)\ue001")

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ message.content }}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\n' }}"  # as an expression: Jinja drops a newline at the very end of a source
)
PLAIN = "{% for message in messages %}{{ message.role | capitalize }}: {{ message.content }}\n\n{% endfor %}Assistant:"


@dataclass(frozen=True)
class TemplateText:
    """Words of the template itself, in which special tokens mean themselves."""

    text: str


Segment = TemplateText | Part


class TemplateRefused(Exception):
    """The template raised, or did not keep every part of the messages exactly once and in order."""


class ChatTemplate:
    """A compiled template of one model."""

    def __init__(self, source: str, *, bos: str = "", eos: str = "") -> None:
        environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[])
        environment.globals["raise_exception"] = _raise
        environment.globals["strftime_now"] = lambda fmt: datetime.now().astimezone().strftime(fmt)
        try:
            self._template = environment.from_string(source)
        except TemplateError as error:
            raise TemplateRefused(str(error)) from error
        self._tokens = {"bos_token": bos, "eos_token": eos}

    def segments(self, messages: Sequence[ChatMessage]) -> list[Segment]:
        """Return template text and parts in the order in which the model reads them. Raises TemplateRefused."""
        parts: list[Part] = []
        shown: list[dict[str, Any]] = []
        for message in messages:
            marks = [_MARK.format(len(parts) + offset) for offset in range(len(message.parts))]
            parts.extend(message.parts)
            shown.append({"role": message.role, "content": "".join(marks)})
        try:
            text = self._template.render(messages=shown, add_generation_prompt=True, tools=None, **self._tokens)
        except (TemplateError, TypeError, ValueError, ArithmeticError, LookupError) as error:
            raise TemplateRefused(str(error)) from error
        return _cut(text, parts)


def _raise(message: str) -> NoReturn:
    raise TemplateError(message)


def _cut(text: str, parts: Sequence[Part]) -> list[Segment]:
    pieces = _MARKED.split(text)
    if [int(number) for number in pieces[1::2]] != list(range(len(parts))):
        raise TemplateRefused("the template changes, repeats or leaves out what a message says")
    segments: list[Segment] = []
    for index, piece in enumerate(pieces):
        if index % 2:
            segments.append(parts[int(piece)])
        elif piece:
            segments.append(TemplateText(piece))
    return segments


def without_system(messages: Sequence[ChatMessage]) -> tuple[ChatMessage, ...]:
    """Return the messages with system text before the first user message, for templates without a system role."""
    system = [part for message in messages if message.role == "system" for part in message.parts]
    rest = [message for message in messages if message.role != "system"]
    if not system or not rest or rest[0].role != "user":
        return tuple(rest)
    first = ChatMessage("user", (*system, Part("\n\n"), *rest[0].parts))
    return (first, *rest[1:])


class Templates:
    """The templates of a model in the order in which they are tried: its own, then the built-in one that fits it."""

    def __init__(self, source: str, *, chatml: bool, bos: str = "", eos: str = "") -> None:
        self._fallback = ChatTemplate(CHATML if chatml else PLAIN, bos=bos, eos=eos)
        self._own: ChatTemplate | None = None
        if source:
            try:
                self._own = ChatTemplate(source, bos=bos, eos=eos)
            except TemplateRefused as error:
                logger.warning("The model's chat template cannot be used, the built-in one is: %s", error)

    def segments(self, messages: Sequence[ChatMessage]) -> list[Segment]:
        """Return the segments by the first template that takes the messages."""
        if self._own is not None:
            for attempt in (tuple(messages), without_system(messages)):
                try:
                    return self._own.segments(attempt)
                except TemplateRefused as error:
                    logger.info("The chat template refused %d messages: %s", len(attempt), error)
        return self._fallback.segments(messages)
