"""Answering one stored question, from the search to the stored answer."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass, field, replace

from channels.db import database_sync_to_async
from django.db import transaction

from inference.contracts import ChatRequest, Delta, Finished, Progress, Timings
from inference.errors import InferenceError, ServiceLost
from inference.gateway import gateway
from projects.answering.briefing import Prepared, prepare
from projects.answering.cache import Served, Ticket, kept, recall
from projects.answering.citations import cite
from projects.answering.events import AnswerEvent, Ended, Reading, Stage, Text
from projects.answering.router import Lane
from projects.answering.silence import is_silence, may_be_silence
from projects.answering.speed import ReadingSpeed
from projects.answering.turns import Outcome, finish_turn
from projects.models import Turn
from study.keys import Learner, learner_of
from study.presence import Presence, touch

logger = logging.getLogger(__name__)

MAX_ANSWER_TOKENS = 512
EMPTY_ANSWER = "The model ended its answer without a word. Try again, or put the question in other words."


@dataclass
class _Answer:
    """What has come in so far; lives as long as one call of `answer`."""

    asked: float
    """Monotonic moment of the question; the seconds of an outcome count from here."""
    text: str = ""
    ttft_s: float | None = None
    timings: Timings = field(default_factory=Timings)
    finish_reason: str = ""
    model: str = ""

    _shown: int = 0
    """Characters of the text that the person has seen."""

    def begin(self) -> None:
        """Begin the answer anew; what an earlier attempt has cost stays counted."""
        self.text, self._shown = "", 0

    def add(self, text: str, *, hold_back: bool = False) -> str:
        """Take a piece of the answer; return what may be shown now.

        With `hold_back` nothing is, as long as it may become the sentence that the documents do not say.
        """
        self.text += text
        if hold_back and may_be_silence(self.text):
            return ""
        if self.ttft_s is None:
            self.ttft_s = time.monotonic() - self.asked
        shown, self._shown = self.text[self._shown :], len(self.text)
        return shown

    def take(self, timings: Timings) -> None:
        """Add what an attempt has cost to what earlier ones have."""
        self.timings = self.timings + timings

    @property
    def does_not_say(self) -> bool:
        """The answer is only that the documents do not say."""
        return is_silence(self.text)

    def outcome(self, state: Turn.State, code: str = "", error: str = "") -> Outcome:
        return Outcome(
            state=state,
            answer=self.text.strip(),
            error_code=code,
            error=error,
            ttft_s=self.ttft_s,
            total_s=time.monotonic() - self.asked,
            timings=self.timings,
            finish_reason=self.finish_reason,
            model=self.model,
        )


async def answer(turn_id: int) -> AsyncIterator[AnswerEvent]:
    """Answer a WAITING turn and yield what happens, ending with Ended once the turn is stored.

    Cancelling the task that consumes this stops the model and stores the turn as STOPPED with the text so far. No
    database connection is held while tokens flow.
    """
    so_far = _Answer(asked=time.monotonic())
    ticket: Ticket | None = None
    try:
        yield Stage("searching")
        learner = learner_of(await gateway().health())
        known = await database_sync_to_async(recall)(turn_id, learner)
        if isinstance(known, Served):
            yield Text(known.answer)
            yield known.end
            return
        ticket = known
        question = await _prepared(turn_id, learner)
        so_far.asked = question.asked
        async for event in _say(question, so_far):
            yield event
        if so_far.does_not_say and question.lane is Lane.DEEP and not question.closed:
            question = await _prepared(turn_id, learner, elsewhere=True)
            async for event in _say(question, so_far):
                yield event
        if question.closed:
            yield question.closed
            return
        outcome = _outcome(question, so_far)
    except asyncio.CancelledError:
        await _finish(turn_id, so_far.outcome(Turn.State.STOPPED))
        raise
    except InferenceError as error:
        outcome = so_far.outcome(Turn.State.FAILED, error.code, error.message)
    except Exception:  # the edge of an answer's task: the turn must not stay open
        logger.exception("answering turn %s failed", turn_id)
        sentence = "Something went wrong inside Readahead; its log has the details. Try again."
        outcome = so_far.outcome(Turn.State.FAILED, "internal", sentence)
    yield await _finish(turn_id, outcome, ticket)


async def _prepared(turn_id: int, learner: Learner | None, *, elsewhere: bool = False) -> Prepared:
    prepared: Prepared = await database_sync_to_async(prepare)(turn_id, learner, elsewhere=elsewhere)
    return prepared


async def _say(question: Prepared, so_far: _Answer) -> AsyncIterator[AnswerEvent]:
    """Give the answer that is ready, or ask the model; nothing where there is nothing to be asked."""
    so_far.begin()
    if question.closed or question.refusal:
        return
    if question.ready:
        so_far.add(question.ready)
        yield Stage("answering")
        yield Text(question.ready)
        return
    async for event in _generate(question, so_far):
        yield event


async def _generate(question: Prepared, so_far: _Answer) -> AsyncIterator[AnswerEvent]:
    """Send the prompt and pass on what comes back, keeping it in `so_far`.

    What may become the sentence that a document does not say is held back: the answer may come from elsewhere then.
    """
    request = ChatRequest(
        messages=question.messages,
        max_tokens=MAX_ANSWER_TOKENS,
        conversation=f"conversation-{question.conversation_id}",
    )
    speed = ReadingSpeed()
    stage = "waiting"
    touch(Presence.ASKING)
    yield Stage("waiting")
    async for event in gateway().stream(request):
        touch(Presence.ASKING)
        match event:
            case Progress(total=0):
                pass  # a sign of life from the line: nothing is being read yet
            case Progress(read, total):
                if stage == "waiting":
                    stage = "reading"
                    yield Stage("reading")
                yield Reading(read, total, speed.seconds_left(read, total, time.monotonic()))
            case Delta(text):
                if stage != "answering":
                    stage = "answering"
                    yield Stage("answering")
                if shown := so_far.add(text, hold_back=question.lane is Lane.DEEP):
                    yield Text(shown)
            case Finished("cancelled"):
                raise ServiceLost  # not by us: cancelling closes this stream
            case Finished(reason, timings, model):
                so_far.finish_reason = reason
                so_far.take(timings)
                so_far.model = model


def _outcome(question: Prepared, so_far: _Answer) -> Outcome:
    if question.refusal:
        return so_far.outcome(Turn.State.FAILED, "nothing_ready", question.refusal)
    return replace(_cited(so_far.outcome(Turn.State.DONE), question), from_cache=bool(question.ready))


def _cited(outcome: Outcome, question: Prepared) -> Outcome:
    """Check the answer's marks against its sources and keep those that hold; no words are no answer."""
    if not outcome.answer:
        return replace(outcome, state=Turn.State.FAILED, error_code="empty", error=EMPTY_ANSWER)
    cited = cite(outcome.answer, question.sources, quoting=question.lane is not Lane.DIGEST)
    return replace(outcome, answer=cited.text, marks=cited.marks)


async def _finish(turn_id: int, outcome: Outcome, ticket: Ticket | None = None) -> Ended:
    """Store the outcome; runs to its end even if the caller is cancelled meanwhile."""
    return await asyncio.shield(database_sync_to_async(_close)(turn_id, outcome, ticket))


@transaction.atomic
def _close(turn_id: int, outcome: Outcome, ticket: Ticket | None) -> Ended:
    return finish_turn(turn_id, kept(outcome, ticket))
