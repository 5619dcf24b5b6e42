"""The websocket of a project desk: takes questions, and passes answers on as they come."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import Http404
from django.urls import reverse

from projects import access, frames
from projects.answering import runs
from projects.answering.events import AnswerEvent, Ended, Reading, Stage, Text
from projects.asking import QuestionRefused, ask_and_start
from projects.models import Project, Turn
from projects.presentation.turns import render_turn

logger = logging.getLogger(__name__)

TEXT_INTERVAL = 0.04
"""Seconds between two frames of text: 25 a second look continuous, and the page repaints no more often."""

NO_SUCH_PROJECT = 4404
"""Close code: no project here for this person."""


class DeskConsumer(AsyncWebsocketConsumer):  # type: ignore[misc]
    """One open desk.

    Following an answer is a task kept here; the answer itself runs in `runs` and outlives the socket.
    """

    async def connect(self) -> None:
        self.followers: dict[int, asyncio.Task[None]] = {}
        self.user: access.Viewer = self.scope["user"]
        try:
            project_id = self.scope["url_route"]["kwargs"]["project_id"]
            self.project: Project = await database_sync_to_async(access.project_for)(self.user, project_id)
        except Http404:
            await self.close(NO_SUCH_PROJECT)
            return
        await self.accept()

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - given by Channels
        await _cancel(*self.followers.values())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:  # noqa: ARG002
        try:
            await self.act(frames.parse(text_data))
        except (frames.FrameError, QuestionRefused) as error:
            await self.send_frame({"type": "error", "code": error.code, "message": error.message})
        except Http404:
            message = "This is no longer here. Load the page again."
            await self.send_frame({"type": "error", "code": "not_found", "message": message})
        except Exception:  # the edge of the socket, which a fault must not close
            logger.exception("a frame for project %s failed", self.project.pk)
            message = "Something went wrong inside Readahead; its log has the details. Try again."
            await self.send_frame({"type": "error", "code": "internal", "message": message})

    async def act(self, frame: frames.ClientFrame) -> None:
        await database_sync_to_async(self.authorise)()
        if frame["type"] == "ask":
            turn = await ask_and_start(self.user, self.project, frame["question"], frame["conversation"])
            await self.follow(turn)
            return
        turn = await database_sync_to_async(self.turn_here)(frame["turn"])
        if frame["type"] == "follow":
            await self.follow(turn)
        else:
            await runs.stop(turn.pk)

    def authorise(self) -> None:
        """Check again, for every frame, what `connect` found: a socket stays open for days. Raises Http404."""
        self.user = access.viewer_now(self.user, self.scope.get("session"))
        self.project = access.project_for(self.user, self.project.pk)

    def turn_here(self, pk: int) -> Turn:
        """Return the turn if this person may see it and it belongs to this desk; raises Http404."""
        turn = access.turn_for(self.user, pk)
        if turn.conversation.project_id != self.project.pk:
            raise Http404("The turn belongs to another project.")
        return turn

    async def follow(self, turn: Turn) -> None:
        """Announce the turn, then pass its events on from the beginning; a second follow starts over."""
        if before := self.followers.pop(turn.pk, None):
            await _cancel(before)
        await self.send_frame(
            {
                "type": "turn",
                "turn": turn.pk,
                "conversation": turn.conversation_id,
                "url": reverse("projects:conversation", args=[self.project.pk, turn.conversation_id]),
                "html": await database_sync_to_async(render_turn)(turn.pk),
            }
        )
        self.followers[turn.pk] = asyncio.create_task(self.pass_on(turn.pk), name=f"follow turn {turn.pk}")

    async def pass_on(self, turn_id: int) -> None:
        """Send the turn's events until it ends.

        `runs.follow` hands a slow follower everything since its last look in one piece, so resting here joins tokens
        into batches without losing or delaying any other event.
        """
        try:
            async for event in runs.follow(turn_id):
                await self.send_frame(await _frame_of(turn_id, event))
                if isinstance(event, Text):
                    await asyncio.sleep(TEXT_INTERVAL)
        except Exception:
            logger.exception("following turn %s failed", turn_id)
            message = "The connection to the answer broke. Load the page again to see it."
            await self.send_frame({"type": "error", "code": "follow_failed", "message": message})
        finally:
            if self.followers.get(turn_id) is asyncio.current_task():
                del self.followers[turn_id]

    async def send_frame(self, frame: frames.ServerFrame) -> None:
        await self.send(text_data=json.dumps(frame))


async def _frame_of(turn_id: int, event: AnswerEvent) -> frames.ServerFrame:
    match event:
        case Stage(name=name):
            return {"type": "stage", "turn": turn_id, "name": name}
        case Reading(read=read, total=total, seconds_left=left):
            return {"type": "reading", "turn": turn_id, "read": read, "total": total, "seconds_left": left}
        case Text(text=text):
            return {"type": "text", "turn": turn_id, "text": text}
        case Ended(state=state):
            html = await database_sync_to_async(render_turn)(turn_id)
            return {"type": "ended", "turn": turn_id, "state": state, "html": html}


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    """Cancel the tasks and wait until they are really over."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
