"""The answers that are running in this process: started, followed by any number of clients, stopped."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextvars import Context

from channels.db import database_sync_to_async

from inference.identity import is_alive, own_identity
from projects.answering.events import AnswerEvent, Ended, Looking, Reading, Stage, Text
from projects.answering.pipeline import answer
from projects.answering.turns import Outcome, ended, finish_turn, interrupt
from projects.models import Turn

logger = logging.getLogger(__name__)

POLL_S = 0.5
"""How often a turn that another process answers is looked at."""
GRACE_S = 5.0
"""A turn of this process that nobody has started after this time was left behind by a fault."""
NOT_STORED = "The answer could not be stored; the log of Readahead has the details. Ask again."


class Run:
    """One running answer and what is known of it so far.

    Followers do not get copies of events through queues: each keeps a cursor over this state and wakes when it changes.
    So a slow follower costs no memory and simply gets bigger pieces, and a late one starts with everything so far.
    """

    def __init__(self, turn_id: int) -> None:
        self.turn_id = turn_id
        self.stage: Stage | None = None
        self.reading: Reading | Looking | None = None
        self.text = ""
        self.ended: Ended | None = None
        self._begun = asyncio.Event()
        self._changed = asyncio.Event()
        # A context of its own: an answer that a form has started would else run its database calls on that request's
        # thread, and have none once the request is over.
        self._task = asyncio.create_task(self._work(), name=f"answer-{turn_id}", context=Context())

    async def follow(self) -> AsyncIterator[AnswerEvent]:
        """Yield what has happened so far, then what happens, until and including Ended."""
        stage: Stage | None = None
        reading: Reading | Looking | None = None
        seen = 0
        while True:
            changed = self._changed
            if self.stage != stage and self.stage is not None:
                stage = self.stage
                yield stage
            if self.reading != reading and self.reading is not None:
                reading = self.reading
                yield reading
            if seen < len(self.text):
                piece = self.text[seen:]
                seen += len(piece)
                yield Text(piece)
            if self.ended is not None and seen == len(self.text):
                yield self.ended
                return
            await changed.wait()

    async def stop(self) -> None:
        """Cancel the answer and wait until its turn is stored."""
        # A task cancelled before its first step would never reach the code that closes the turn.
        await self._begun.wait()
        self._task.cancel()
        await asyncio.wait({self._task})

    async def _work(self) -> None:
        self._begun.set()
        try:
            async for event in answer(self.turn_id):
                self._publish(event)
        except Exception:  # the edge of the task: what `answer` itself could not store
            logger.exception("the end of turn %s could not be stored", self.turn_id)
        finally:
            _runs.pop(self.turn_id, None)
            if self.ended is None:
                self._publish(await self._how_it_ended())

    async def _how_it_ended(self) -> Ended:
        """Return the end by the row, which is closed as failed if it is open; followers hear of an end in any case."""
        failure = Outcome(Turn.State.FAILED, self.text.strip(), "internal", NOT_STORED)
        try:
            end: Ended = await database_sync_to_async(finish_turn)(self.turn_id, failure)
            return end
        except Exception:  # the database is out of reach; the row is closed as interrupted later
            logger.exception("turn %s could not be closed", self.turn_id)
            return Ended(failure.state, failure.error_code, failure.error, retry=True)

    def _publish(self, event: AnswerEvent) -> None:
        match event:
            case Stage():
                self.stage = event
                self.reading = None  # of use while it goes on, not to those who come later
            case Reading() | Looking():
                self.reading = event
            case Text():
                self.text += event.text
            case Ended():
                self.ended = event
        self._changed.set()
        self._changed = asyncio.Event()


_runs: dict[int, Run] = {}


def start(turn_id: int) -> None:
    """Start answering a stored turn on the running event loop; a turn that is running already goes on as it is."""
    if turn_id not in _runs:
        _runs[turn_id] = Run(turn_id)


async def follow(turn_id: int) -> AsyncIterator[AnswerEvent]:
    """Yield the events of a turn: first what has happened so far, then live, until and including Ended.

    Closing this iterator leaves the answer running. A turn that does not run here is told from its row; if another
    process is answering it, after that process is done.
    """
    run = _runs.get(turn_id)
    if run is not None:
        async for event in run.follow():
            yield event
        return
    turn = await _closed_row(turn_id)
    if turn.answer:
        yield Text(turn.answer)
    yield ended(turn)


async def stop(turn_id: int) -> None:
    """Stop an answer and wait until what it has written is stored; nothing happens to a turn that does not run here."""
    run = _runs.get(turn_id)
    if run is not None:
        await run.stop()


async def _closed_row(turn_id: int) -> Turn:
    """Return the row of a turn once it is closed; a turn left open by a dead process is closed here."""
    waited = 0.0
    while True:
        turn: Turn = await database_sync_to_async(Turn.objects.get)(pk=turn_id)
        if not turn.is_open:
            return turn
        lost = turn.owner == own_identity() and turn_id not in _runs and waited >= GRACE_S
        if lost or not is_alive(turn.owner):
            await database_sync_to_async(interrupt)(turn_id)
        else:
            await asyncio.sleep(POLL_S)
            waited += POLL_S
