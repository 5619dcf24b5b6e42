"""The websocket of a project desk: takes questions, and passes answers on as they come."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from channels.db import database_sync_to_async
from channels.generic.websocket import AsyncWebsocketConsumer
from django.http import Http404
from django.urls import reverse

from projects import access, frames
from projects.answering import runs, warming
from projects.answering.events import AnswerEvent, Ended, Looking, Reading, Stage, Text
from projects.answering.turns import Wishes
from projects.asking import QuestionRefused, ask_and_start
from projects.conversations import notices
from projects.models import Project, Turn
from projects.presentation.turns import render_turn
from study.presence import Presence, touch

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
        self.watching = False
        self.watched: int | None = None
        self.shown: set[int] = set()
        self.user: access.Viewer = self.scope["user"]
        try:
            project_id = self.scope["url_route"]["kwargs"]["project_id"]
            self.project: Project = await database_sync_to_async(access.project_for)(self.user, project_id)
        except Http404:
            await self.close(NO_SUCH_PROJECT)
            return
        await self.accept()

    async def disconnect(self, code: int) -> None:  # noqa: ARG002 - given by Channels
        if self.watching:
            await self.channel_layer.group_discard(notices.group_of(self.project.pk), self.channel_name)
        await _cancel(*self.followers.values())

    async def receive(self, text_data: str | None = None, bytes_data: bytes | None = None) -> None:  # noqa: ARG002
        await self.guarded(lambda: self.act(frames.parse(text_data)))

    async def conversation_changed(self, notice: notices.Notice) -> None:
        """Pass a notice on (see `notices`): the list has changed, and perhaps the conversation on this page."""
        await self.guarded(lambda: self.take(notice))

    async def guarded(self, act: Callable[[], Awaitable[None]]) -> None:
        """Act; what goes wrong becomes an error frame and never closes the socket."""
        try:
            await act()
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
            wishes = Wishes(frame["lane"], frame["fresh"])
            turn = await ask_and_start(self.user, self.project, frame["question"], frame["conversation"], wishes)
            if self.watched is None:
                self.watched = turn.conversation_id
            await self.follow(turn)
            return
        if frame["type"] == "typing":
            await self.prepare_for(frame["conversation"])
            return
        if frame["type"] == "watch":
            await self.watch(frame)
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

    async def prepare_for(self, conversation_id: int | None) -> None:
        """Have everything keep quiet and the model take up what it knows: a question is coming."""
        if conversation_id is not None:
            await database_sync_to_async(self.conversation_here)(conversation_id)
        touch(Presence.TYPING)
        warming.warm_up(self.project.pk, conversation_id)

    async def watch(self, frame: frames.Watch) -> None:
        """Listen to what others do in the project; a second watch takes the place of the first."""
        if frame["conversation"] is not None:
            await database_sync_to_async(self.conversation_here)(frame["conversation"])
        self.watched, self.shown = frame["conversation"], set(frame["turns"])
        if not self.watching:
            await self.channel_layer.group_add(notices.group_of(self.project.pk), self.channel_name)
            self.watching = True
        await self.catch_up()

    def conversation_here(self, pk: int) -> None:
        """Raise Http404 unless this person may see the conversation and it belongs to this desk."""
        if access.conversation_for(self.user, pk).project_id != self.project.pk:
            raise Http404("The conversation belongs to another project.")

    async def take(self, notice: notices.Notice) -> None:
        await database_sync_to_async(self.authorise)()
        await self.send_frame({"type": "conversations"})
        if notice["conversation"] == self.watched:
            await self.catch_up()

    async def catch_up(self) -> None:
        """Have the page show the conversation as it stands in the rows, whatever was missed."""
        if self.watched is None:
            return
        thread = await database_sync_to_async(turns_of)(self.watched)
        present = {turn.pk for turn in thread}
        if gone := self.shown - present:
            await _cancel(*[self.followers.pop(pk) for pk in gone if pk in self.followers])
            self.shown &= present
            await self.send_frame({"type": "gone", "turns": sorted(gone)})
        for turn in thread:
            if turn.pk not in self.shown:
                await self.follow(turn)

    async def follow(self, turn: Turn) -> None:
        """Announce the turn, then pass its events on from the beginning; a second follow starts over."""
        if turn.conversation_id == self.watched:
            self.shown.add(turn.pk)
        if before := self.followers.pop(turn.pk, None):
            await _cancel(before)
        html = await database_sync_to_async(_rendered)(turn.pk)
        if not html:
            return
        await self.send_frame(
            {
                "type": "turn",
                "turn": turn.pk,
                "conversation": turn.conversation_id,
                "url": reverse("projects:conversation", args=[self.project.pk, turn.conversation_id]),
                "html": html,
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
        case Looking(done=done, total=total, name=name):
            return {"type": "looking", "turn": turn_id, "done": done, "total": total, "name": name}
        case Text(text=text):
            return {"type": "text", "turn": turn_id, "text": text}
        case Ended(state=state):
            html = await database_sync_to_async(_rendered)(turn_id)
            return {"type": "ended", "turn": turn_id, "state": state, "html": html}


def _rendered(turn_id: int) -> str:
    """Return a turn's fragment, nothing for one that was deleted while it was answered."""
    try:
        return render_turn(turn_id)
    except Turn.DoesNotExist:
        return ""


def turns_of(conversation_id: int) -> list[Turn]:
    """Return a conversation's turns as it stands, in order; none if it is gone."""
    return list(Turn.objects.filter(conversation=conversation_id, replaced_by=None).order_by("pk").defer("prompt"))


async def _cancel(*tasks: asyncio.Task[Any]) -> None:
    """Cancel the tasks and wait until they are really over."""
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks)
