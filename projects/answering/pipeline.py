"""Answering one stored question, from the choice of its way to the stored answer."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass

from channels.db import database_sync_to_async
from django.db import transaction

from inference.contracts import EngineState, Health
from inference.errors import InferenceError
from inference.gateway import gateway
from projects.answering.briefing import Prepared, prepare
from projects.answering.cache import Served, Ticket, kept, recall
from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent, Ended, Stage, Text
from projects.answering.lanes import make
from projects.answering.talk import Talk
from projects.answering.turns import Outcome, finish_turn
from projects.models import Turn
from study.keys import learner_of
from study.service import note_kept

logger = logging.getLogger(__name__)

EMPTY_ANSWER = "The model ended its answer without a word. Try again, or put the question in other words."
FAULT = "Something went wrong inside Readahead; its log has the details. Try again."


@dataclass
class _Answer:
    """What there is of an answer so far; lives as long as one call of `answer`."""

    turn_id: int
    asked: float
    """Monotonic moment of the question; the seconds of an outcome count from here."""
    draft: Draft
    talk: Talk
    ttft_s: float | None = None

    def outcome(self, state: Turn.State, code: str = "", error: str = "", *, from_cache: bool = False) -> Outcome:
        return Outcome(
            state=state,
            answer=self.draft.text.strip(),
            error_code=code,
            error=error,
            ttft_s=self.ttft_s,
            total_s=time.monotonic() - self.asked,
            timings=self.talk.timings,
            finish_reason=self.talk.finish_reason,
            model=self.talk.model,
            marks=tuple(self.draft.marks) if state == Turn.State.DONE else (),
            from_cache=from_cache,
        )


async def answer(turn_id: int) -> AsyncIterator[AnswerEvent]:
    """Answer a WAITING turn and yield what happens, ending with Ended once the turn is stored.

    Cancelling the task that consumes this stops the model and stores the turn as STOPPED with the text so far. No
    database connection is held while tokens flow.
    """
    so_far = _Answer(turn_id, time.monotonic(), Draft(), Talk(0))
    ticket: Ticket | None = None
    try:
        yield Stage("searching")
        health = await gateway().health()
        if health.state is not EngineState.READY:
            yield Stage("waiting")
            health = await gateway().health_when_served()
        learner = learner_of(health)
        known = await database_sync_to_async(recall)(turn_id, learner)
        if isinstance(known, Served):
            yield Text(known.answer)
            yield known.end
            return
        ticket = known
        question = await _prepared(turn_id, health)
        so_far.asked, so_far.talk = question.asked, Talk(question.conversation_id)
        if question.closed:
            yield question.closed
            return
        async for event in _made(question, so_far):
            yield event
        if learner and so_far.talk.kept:
            await database_sync_to_async(note_kept)(so_far.talk.kept, learner)
        outcome = _outcome(question, so_far)
    except asyncio.CancelledError:
        await _finish(turn_id, so_far.outcome(Turn.State.STOPPED))
        raise
    except InferenceError as error:
        outcome = so_far.outcome(Turn.State.FAILED, error.code, error.message)
    except Exception:  # the edge of an answer's task: the turn must not stay open
        logger.exception("answering turn %s failed", turn_id)
        outcome = so_far.outcome(Turn.State.FAILED, "internal", FAULT)
    yield await _finish(turn_id, outcome, ticket)


async def _prepared(turn_id: int, health: Health) -> Prepared:
    prepared: Prepared = await database_sync_to_async(prepare)(turn_id, health)
    return prepared


async def _made(question: Prepared, so_far: _Answer) -> AsyncIterator[AnswerEvent]:
    """Make the answer in its way; nothing where there is nothing to be asked."""
    if question.refusal:
        return
    async for event in make(question.way, so_far.talk, so_far.draft):
        if isinstance(event, Text) and so_far.ttft_s is None:
            so_far.ttft_s = time.monotonic() - so_far.asked
        yield event


def _outcome(question: Prepared, so_far: _Answer) -> Outcome:
    """Tell how it ended; no words are no answer."""
    if question.refusal:
        return so_far.outcome(Turn.State.FAILED, "nothing_ready", question.refusal)
    if not so_far.draft.text.strip():
        return so_far.outcome(Turn.State.FAILED, "empty", EMPTY_ANSWER)
    return so_far.outcome(Turn.State.DONE, from_cache=question.way.is_prepared)


async def _finish(turn_id: int, outcome: Outcome, ticket: Ticket | None = None) -> Ended:
    """Store the outcome; runs to its end even if the caller is cancelled meanwhile."""
    return await asyncio.shield(database_sync_to_async(_close)(turn_id, outcome, ticket))


@transaction.atomic
def _close(turn_id: int, outcome: Outcome, ticket: Ticket | None) -> Ended:
    return finish_turn(turn_id, kept(outcome, ticket))
