"""Has the model give a conversation its title once a question is answered and nothing else is to be done.

A title is worth no wait: the call goes to the service pool, is not made while a question is open or being typed, and is
dropped when one comes. A conversation that gets none keeps the first words of its question until its next answer.
"""

from __future__ import annotations

import asyncio
import logging
import re
from contextvars import Context

from channels.db import database_sync_to_async
from django.conf import settings

from inference.contracts import ChatMessage, ChatRequest, Completion, EngineState, PoolName
from inference.errors import InferenceError
from inference.gateway import gateway
from projects.answering import runs
from projects.conversations import notices
from projects.models import Conversation, Turn
from study.faithful import Values
from study.presence import Presence, is_present

logger = logging.getLogger(__name__)

MAX_TOKENS = 24
LONGEST = 70
"""Characters of a title; a longer one is a sentence, and the question's own words do better."""
QUESTION_SHOWN = 600
ANSWER_SHOWN = 400
"""Characters that the model is given, about 250 tokens together: two or three seconds on two cores."""

LOOKS = 30
LOOK_EVERY_S = 4.0
"""How often, and in which distance, a moment is looked for in which nothing else is to be done."""

SYSTEM = """\
Write the title under which a question and its answer are filed: two to six words, in the language of the question, \
no quotation marks. Reply with the title alone."""

_LABEL = re.compile(r"^(?:title|titel|titre|título|titolo)\s*:\s*", re.IGNORECASE)
_MARKS = "\"'“”„«»‹›‘’*_#`"

_waiting: set[asyncio.Task[None]] = set()
"""References to the tasks, which the event loop alone would let go."""
_calling: set[asyncio.Task[Completion]] = set()
"""The calls that the model is working on."""


def title_after(turn_id: int) -> None:
    """See to a title when this turn's answer has ended; returns at once. Needs the running event loop of its answer."""
    if not settings.TITLES_BY_MODEL:
        return
    # A context of its own, as the answer's task has one: a form's request would take its database connection along.
    task = asyncio.create_task(_see_to(turn_id), name=f"title-{turn_id}", context=Context())
    _waiting.add(task)
    task.add_done_callback(_waiting.discard)


def give_way() -> None:
    """Drop the calls under way: a question has come, and what is done for it may need the same slot."""
    for call in list(_calling):
        call.cancel()


def tidy(reply: str, about: str) -> str:
    """Return a model's reply as a title, empty if it is none: too long, or with a figure that `about` does not have."""
    lines = [line.strip() for line in reply.splitlines() if line.strip()]
    title = _LABEL.sub("", lines[0].strip(_MARKS).strip()) if lines else ""
    title = " ".join(title.strip(_MARKS).split()).rstrip(".:;,").strip(_MARKS)
    if len(title) > LONGEST or not any(map(str.isalnum, title)):
        return ""
    return "" if Values.of(about).lacks(title) else title


async def _see_to(turn_id: int) -> None:
    try:
        async for _ in runs.follow(turn_id):
            pass
        await _when_quiet(turn_id)
    except InferenceError as error:
        logger.info("no title for the conversation of turn %s: %s", turn_id, error.code)
    except Exception:  # the edge of a task that nobody waits for
        logger.exception("no title for the conversation of turn %s", turn_id)


async def _when_quiet(turn_id: int) -> None:
    """Give the title at the first look that finds nothing else to do; after the last one it is left alone."""
    for look in range(LOOKS):
        if look:
            await asyncio.sleep(LOOK_EVERY_S)
        turn: Turn | None = await database_sync_to_async(_untitled)(turn_id)
        if turn is None:
            return
        if await _is_quiet():
            await _give_title(turn)
            return


def _untitled(turn_id: int) -> Turn | None:
    """Return the turn if it was answered and its conversation still waits for a title."""
    turns = Turn.objects.select_related("conversation").filter(pk=turn_id, state=Turn.State.DONE, replaced_by=None)
    return turns.filter(conversation__titled_by=Conversation.TitledBy.QUESTION).first()


async def _is_quiet() -> bool:
    """Tell whether the model is ready and nobody asks or is about to."""
    if is_present(Presence.TYPING) or await Turn.objects.filter(state__in=Turn.OPEN).aexists():
        return False
    return (await gateway().health()).state is EngineState.READY


async def _give_title(turn: Turn) -> None:
    call = asyncio.create_task(gateway().complete(request_for(turn.question, turn.answer)), name=f"titling-{turn.pk}")
    _calling.add(call)
    try:
        reply = await call
    finally:
        _calling.discard(call)
    title = tidy(reply.text, f"{turn.question}\n{turn.answer}") if reply.reason == "stop" else ""
    if title and await database_sync_to_async(_store)(turn.conversation_id, title):
        await notices.tell(turn.conversation.project_id, turn.conversation_id)


def request_for(question: str, answer: str) -> ChatRequest:
    """Return the call that asks for the title of a conversation which begins like this."""
    said = f"Question: {question[:QUESTION_SHOWN]}\nAnswer: {answer[:ANSWER_SHOWN]}\n\nTitle:"
    messages = (ChatMessage("system", SYSTEM), ChatMessage("user", said))
    return ChatRequest(messages=messages, pool=PoolName.SERVICE, max_tokens=MAX_TOKENS, stop=("\n",))


def _store(conversation_id: int, title: str) -> bool:
    """Store a title unless a person has given one meanwhile. `updated` stays: nobody has said anything."""
    waiting = Conversation.objects.filter(pk=conversation_id, titled_by=Conversation.TitledBy.QUESTION)
    return bool(waiting.update(title=title, titled_by=Conversation.TitledBy.MODEL))
