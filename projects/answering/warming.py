"""Has the model take up a project's digest while a question is being typed, so that it is at hand when it comes.

It is worth no wait: nothing is read for it that is not kept on the disk, it happens once until somebody has asked, and
a question that comes meanwhile ends it.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import aclosing
from contextvars import Context
from dataclasses import dataclass

from channels.db import database_sync_to_async

from inference.contracts import ChatMessage, ChatRequest, Finished, Progress
from inference.errors import InferenceError
from inference.gateway import gateway
from projects.answering.router import Lane
from projects.models import Turn
from study.keys import Learner, learner_of
from study.service import digest_for

logger = logging.getLogger(__name__)

MOST_UNREAD = 64
"""Tokens that may be read for it. More means that the state is not on the disk any more, and reading is not for now."""


@dataclass(frozen=True)
class Prefix:
    """What a slot is to hold: the prompt up to a question, and the key that changes with every word of it."""

    key: str
    messages: tuple[ChatMessage, ...]


_warming: dict[str, asyncio.Task[None]] = {}
"""What is under way, by slot: one at a time, and a reference that keeps it alive."""
_warm: dict[str, str] = {}
"""The key of what each slot holds since somebody last asked; a question may give any slot to another conversation."""


def warm_up(project_id: int, conversation_id: int | None) -> None:
    """Begin to warm up for a question in a conversation, or in a new one; returns at once, and never fails.

    Needs the running event loop.
    """
    slot = f"project-{project_id}" if conversation_id is None else f"conversation-{conversation_id}"
    if slot in _warming:
        return
    # A context of its own: what a socket's frame has begun must not depend on that frame.
    task = asyncio.create_task(_see_to(slot, project_id, conversation_id), name=f"warm {slot}", context=Context())
    _warming[slot] = task
    task.add_done_callback(lambda done: _warming.pop(slot) if _warming.get(slot) is done else None)


def give_way() -> None:
    """End what is under way: a question has come."""
    _warm.clear()
    for task in list(_warming.values()):
        task.cancel()


async def _see_to(slot: str, project_id: int, conversation_id: int | None) -> None:
    try:
        learner = learner_of(await gateway().health())
        if learner is None:
            return
        prefix: Prefix | None = await database_sync_to_async(prefix_for)(project_id, conversation_id, learner)
        if prefix is not None and _warm.get(slot) != prefix.key:
            _warm[slot] = prefix.key
            await _take_up(slot, prefix)
    except InferenceError as error:
        _warm.pop(slot, None)
        logger.info("not warmed up for project %s: %s", project_id, error.code)
    except Exception:  # the edge of a task that nobody waits for
        logger.exception("not warmed up for project %s", project_id)


def prefix_for(project_id: int, conversation_id: int | None, learner: Learner) -> Prefix | None:
    """Return what the next question is likely to begin with; None where the model keeps nothing that would help.

    A conversation whose last answer came from a document's text has that in its slot, and is likely to go on with it.
    While a question is being answered, all slots and the machine are its own.
    """
    if Turn.objects.filter(state__in=Turn.OPEN).exists():
        return None
    last = Turn.objects.filter(conversation=conversation_id, state=Turn.State.DONE).order_by("-pk").first()
    if last is not None and last.lane == Lane.DEEP:
        return None
    digest = digest_for(project_id, learner)
    if digest is None or not digest.is_current:
        return None
    return Prefix(digest.key, digest.messages(""))


async def _take_up(slot: str, prefix: Prefix) -> None:
    """Have the engine fetch the state; the one token that it must write costs less than asking for none would save."""
    request = ChatRequest(messages=prefix.messages, max_tokens=1, conversation=slot)
    async with aclosing(gateway().stream(request)) as events:
        async for event in events:
            match event:
                case Progress(read, total) if total - read > MOST_UNREAD:
                    return
                case Finished():
                    return
