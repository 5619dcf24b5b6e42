"""Answering one stored question, from the search to the stored answer."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field, replace

from channels.db import database_sync_to_async
from django.db import transaction

from inference.contracts import ChatMessage, ChatRequest, Delta, Finished, Progress, Timings
from inference.errors import InferenceError, ServiceLost
from inference.gateway import gateway
from projects.answering.citations import cite
from projects.answering.coverage import coverage_of, explain_nothing_ready
from projects.answering.events import AnswerEvent, Ended, Reading, Stage, Text
from projects.answering.prompt import PROMPT_VERSION, assemble
from projects.answering.speed import ReadingSpeed
from projects.answering.turns import Briefing, Outcome, begin_turn, ended, finish_turn, seconds_since
from projects.models import Turn
from projects.retrieval.lexical import openings
from projects.retrieval.passages import Passage, by_document, choose
from projects.retrieval.search import Found, find
from study.presence import Presence, touch

logger = logging.getLogger(__name__)

LANE = "passages"
LANE_REASON = "Searched the documents by {mode}; nothing is read ahead yet. {note}"
LONGEST_REASON = 300
NO_HIT_REASON = "No passage has a word of the question: took the beginnings of the documents."
MAX_PASSAGES = 5
PASSAGE_BUDGET = 5_000
"""Characters of passages in a prompt, about 1,300 tokens: what two cores read in some ten seconds."""
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

    def add(self, text: str) -> None:
        if self.ttft_s is None:
            self.ttft_s = time.monotonic() - self.asked
        self.text += text

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


@dataclass(frozen=True)
class _Question:
    """A question with its passages, ready for the model.

    `refusal` says why there is nothing to ask the model; `closed` how a turn stands that is not waiting any more.
    """

    conversation_id: int
    asked: float
    passages: tuple[Passage, ...]
    messages: tuple[ChatMessage, ...]
    refusal: str = ""
    closed: Ended | None = None


async def answer(turn_id: int) -> AsyncIterator[AnswerEvent]:
    """Answer a WAITING turn and yield what happens, ending with Ended once the turn is stored.

    Cancelling the task that consumes this stops the model and stores the turn as STOPPED with the text so far. No
    database connection is held while tokens flow.
    """
    so_far = _Answer(asked=time.monotonic())
    try:
        yield Stage("searching")
        question = await database_sync_to_async(_prepare)(turn_id)
        so_far.asked = question.asked
        if question.closed:
            yield question.closed
            return
        if question.refusal:
            outcome = so_far.outcome(Turn.State.FAILED, "nothing_ready", question.refusal)
        else:
            async for event in _generate(question, so_far):
                yield event
            outcome = _cited(so_far.outcome(Turn.State.DONE), question.passages)
    except asyncio.CancelledError:
        await _finish(turn_id, so_far.outcome(Turn.State.STOPPED))
        raise
    except InferenceError as error:
        outcome = so_far.outcome(Turn.State.FAILED, error.code, error.message)
    except Exception:  # the edge of an answer's task: the turn must not stay open
        logger.exception("answering turn %s failed", turn_id)
        sentence = "Something went wrong inside Readahead; its log has the details. Try again."
        outcome = so_far.outcome(Turn.State.FAILED, "internal", sentence)
    yield await _finish(turn_id, outcome)


async def _generate(question: _Question, so_far: _Answer) -> AsyncIterator[AnswerEvent]:
    """Send the prompt and pass on what comes back, keeping it in `so_far`."""
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
                so_far.add(text)
                yield Text(text)
            case Finished("cancelled"):
                raise ServiceLost  # not by us: cancelling closes this stream
            case Finished(reason, timings, model):
                so_far.finish_reason = reason
                so_far.timings = timings
                so_far.model = model


@transaction.atomic
def _prepare(turn_id: int) -> _Question:
    """Find the passages, put the prompt together and store both with the turn.

    In one transaction, which keeps writers out (SQLite: IMMEDIATE): removing a document wipes the stored prompts, and
    one that held its text must not be stored after that.
    """
    turn = Turn.objects.select_related("conversation__project").get(pk=turn_id)
    project = turn.conversation.project
    asked = time.monotonic() - seconds_since(turn.created)
    coverage = coverage_of(project)
    passages: tuple[Passage, ...] = ()
    messages: tuple[ChatMessage, ...] = ()
    reason = ""
    if coverage.ready:
        passages, reason = _passages(project.pk, turn.question)
        messages = assemble(passages, turn.question)
    prompt = [_message_json(message) for message in messages]
    if not begin_turn(turn_id, Briefing(LANE, reason, coverage.to_json(), prompt, PROMPT_VERSION)):
        return _Question(turn.conversation_id, asked, (), (), closed=ended(Turn.objects.get(pk=turn_id)))
    refusal = "" if coverage.ready else explain_nothing_ready(coverage)
    return _Question(turn.conversation_id, asked, passages, messages, refusal)


def _passages(project_id: int, question: str) -> tuple[tuple[Passage, ...], str]:
    """Return the passages for a question and, in words, why these."""
    found = find(project_id, question, limit=MAX_PASSAGES)
    chosen = choose(found.passages, MAX_PASSAGES, PASSAGE_BUDGET)
    if chosen:
        return tuple(by_document(chosen)), _reason(found)
    beginnings = choose(openings(project_id, MAX_PASSAGES), MAX_PASSAGES, PASSAGE_BUDGET)
    return tuple(beginnings), NO_HIT_REASON


def _reason(found: Found) -> str:
    return LANE_REASON.format(mode=found.mode, note=found.note).strip()[:LONGEST_REASON]


def _message_json(message: ChatMessage) -> dict[str, object]:
    return {"role": message.role, "content": message.text}


def _cited(outcome: Outcome, passages: Sequence[Passage]) -> Outcome:
    """Check the answer's marks against the passages and keep those that hold; no words are no answer."""
    if not outcome.answer:
        return replace(outcome, state=Turn.State.FAILED, error_code="empty", error=EMPTY_ANSWER)
    cited = cite(outcome.answer, passages)
    return replace(outcome, answer=cited.text, marks=cited.marks)


async def _finish(turn_id: int, outcome: Outcome) -> Ended:
    """Store the outcome; runs to its end even if the caller is cancelled meanwhile."""
    return await asyncio.shield(database_sync_to_async(finish_turn)(turn_id, outcome))
