"""The requests that one answer makes of the model: what they cost together, and what is shown while they run."""

from __future__ import annotations

import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field

from inference.chances import chance_against
from inference.contracts import ChatMessage, ChatRequest, Delta, Finished, Progress, Timings
from inference.errors import ServiceLost
from inference.gateway import gateway
from projects.answering.events import Reading, Stage, StageName
from projects.answering.speed import ReadingSpeed
from study.presence import Presence, touch
from study.prompts import document_boundary

MAX_ANSWER_TOKENS = 512
ALTERNATIVES = 20
"""Tokens whose chances are asked for, the most that OpenAI's interface allows."""
YES, NO = ("yes", "ja", "oui", "si", "sí"), ("no", "nein", "non")


@dataclass
class Talk:
    """One answer's way to the model, in the slot of its conversation.

    `timings` are the sums of all requests so far, `finish_reason` and `model` those of the last one. `kept` are the
    documents whose text the model has read here and keeps in memory.
    """

    conversation_id: int
    timings: Timings = field(default_factory=Timings)
    finish_reason: str = ""
    model: str = ""
    kept: set[int] = field(default_factory=set)
    _stage: str = ""

    async def ask(
        self, messages: Sequence[ChatMessage], max_tokens: int = MAX_ANSWER_TOKENS, *, keep: int = 0
    ) -> AsyncGenerator[Stage | Reading | Delta, None]:
        """Send a prompt; yield its stages and progress as they are shown, and the pieces of what comes back.

        `keep` is the document that stands in it, if the model's state at its end is to be kept. Closing the iterator
        ends the request in the engine. Raises InferenceError.
        """
        request = ChatRequest(
            messages=tuple(messages),
            max_tokens=max_tokens,
            conversation=self._slot,
            save=_saved(keep),
        )
        speed = ReadingSpeed()
        touch(Presence.ASKING)
        if not self._stage:
            yield self._enter("waiting")
        async with aclosing(gateway().stream(request)) as events:
            async for event in events:
                touch(Presence.ASKING)
                match event:
                    case Progress(total=0):
                        pass  # a sign of life from the line: nothing is being read yet
                    case Progress(read, total):
                        if self._stage == "waiting":
                            yield self._enter("reading")
                        yield Reading(read, total, speed.seconds_left(read, total, time.monotonic()))
                    case Delta():
                        self._note(keep)  # the text is read once there is a word of an answer
                        if self._stage != "answering":
                            yield self._enter("answering")
                        yield event
                    case Finished("cancelled"):
                        raise ServiceLost  # not by us: cancelling closes this stream
                    case Finished(reason, timings, model):
                        self.finish_reason, self.model = reason, model
                        self.timings = self.timings + timings

    async def chance(self, messages: Sequence[ChatMessage], *, keep: int = 0) -> float | None:
        """Return how likely the model says Yes rather than No; None when it says neither.

        From a server that tells no chances it is 1 or 0, by the word. `keep` as for `ask`. Raises InferenceError.
        """
        request = ChatRequest(
            tuple(messages), max_tokens=1, logprobs=ALTERNATIVES, conversation=self._slot, save=_saved(keep)
        )
        completion = await gateway().complete(request)
        self._note(keep)
        self.timings = self.timings + completion.timings
        return chance_against(completion, YES, NO)

    @property
    def _slot(self) -> str:
        return f"conversation-{self.conversation_id}"

    def _note(self, keep: int) -> None:
        if keep:
            self.kept.add(keep)

    def _enter(self, stage: StageName) -> Stage:
        self._stage = stage
        return Stage(stage)


def _saved(document_id: int) -> tuple[str, ...]:
    return (document_boundary(document_id),) if document_id else ()
