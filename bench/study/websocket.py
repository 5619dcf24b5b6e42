"""A websocket whose messages come with the moment of their arrival; autobahn's client on asyncio.

A module of its own, imported when a socket is opened: autobahn serves one framework in a process, and in that of the
tests it is Twisted, which the web server brings.
"""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

from autobahn.asyncio.websocket import WebSocketClientFactory, WebSocketClientProtocol


class Socket(WebSocketClientProtocol):
    """Puts what comes into `frames`, its opening and its end included."""

    def __init__(self) -> None:
        super().__init__()
        self.frames: asyncio.Queue[tuple[dict[str, Any], float]] = asyncio.Queue()

    def onOpen(self) -> None:  # noqa: N802 - autobahn's name
        self._put({"type": "open"})

    def onMessage(self, payload: bytes, isBinary: bool) -> None:  # noqa: ARG002, N802, N803 - autobahn's names
        self._put(json.loads(payload))

    def onClose(self, wasClean: bool, code: int, reason: str) -> None:  # noqa: ARG002, N802, N803
        self._put({"type": "closed", "message": f"closed with {code}: {reason}"})

    def _put(self, frame: dict[str, Any]) -> None:
        self.frames.put_nowait((frame, time.perf_counter()))


async def connect(port: int, path: str) -> tuple[asyncio.Transport, Socket]:
    """Open a websocket on this machine, as a page from there does. Raises OSError."""
    here = f"127.0.0.1:{port}"
    factory = WebSocketClientFactory(f"ws://{here}{path}", origin=f"http://{here}")  # type: ignore[no-untyped-call]
    factory.protocol = Socket
    transport, socket = await asyncio.get_running_loop().create_connection(factory, "127.0.0.1", port)
    return transport, socket
