"""A project's websocket as its page uses it: frames out, and frames in with the moments when they came."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from bench.study.installation import Trouble

PATIENCE_S = 300.0
Frame = dict[str, Any]


class Desk:
    """One open websocket; an asynchronous context manager."""

    def __init__(self, port: int, project: int) -> None:
        self._port = port
        self._project = project

    async def __aenter__(self) -> Self:
        """Open it. Raises Trouble."""
        from bench.study.websocket import connect

        self._transport, self._protocol = await connect(self._port, f"/ws/projects/{self._project}/")
        await self.until(lambda frame: bool(frame["type"] == "open"))
        return self

    async def __aexit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._transport.close()

    async def ask(self, question: str, lane: str = "") -> tuple[int, float]:
        """Ask in a new conversation; return the turn, and the moment of sending by `perf_counter`. Raises Trouble."""
        sent = self._send({"type": "ask", "question": question, "conversation": None, "lane": lane})
        frame, _ = await self.until(lambda frame: bool(frame["type"] == "turn"))
        return int(frame["turn"]), sent

    async def stop(self, turn: int) -> None:
        """Stop an answer and return when it has ended. Raises Trouble."""
        self._send({"type": "stop", "turn": turn})
        await self.until(has_ended)

    async def until(self, held: Callable[[Frame], bool]) -> tuple[Frame, float]:
        """Return the first frame for which something holds, and the moment when it came. Raises Trouble."""
        while True:
            try:
                frame, moment = await asyncio.wait_for(self._protocol.frames.get(), PATIENCE_S)
            except TimeoutError:
                raise Trouble("Waited in vain for a frame of the websocket.") from None
            if held(frame):
                return frame, moment
            if frame["type"] in ("error", "closed"):
                raise Trouble(f"The websocket says: {frame['message']}")

    def _send(self, frame: Frame) -> float:
        self._protocol.sendMessage(json.dumps(frame).encode())  # type: ignore[no-untyped-call]
        return time.perf_counter()


def has_begun(frame: Frame) -> bool:
    """Tell whether the model works on the answer, or it has ended without."""
    return has_ended(frame) or (frame["type"] == "stage" and frame["name"] in ("reading", "answering"))


def has_words(frame: Frame) -> bool:
    """Tell whether it is a piece of the answer, or its end."""
    return has_ended(frame) or bool(frame["type"] == "text")


def has_ended(frame: Frame) -> bool:
    """Tell whether the answer is over and stored."""
    return bool(frame["type"] == "ended")
