"""How the service ends: answers to people may be finished within a bounded time, everything else ends at once."""

from __future__ import annotations

import asyncio
import socket

import uvicorn

from inference.contracts import PoolName
from inference.engine.port import Engine

DRAIN_S = 15.0
"""Time that answers under way have, once the service was asked to end. The supervisor waits longer than this."""


class RetiringServer(uvicorn.Server):
    """A server that has its engine retire when it shuts down, so that nobody's request holds it up for long.

    The requests that are ended get an error that says so: the stream is whole, and its reader knows what happened.
    """

    def __init__(self, config: uvicorn.Config, engine: Engine) -> None:
        super().__init__(config)
        self._engine = engine

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening, and return when the requests under way have ended."""
        self._engine.retire(keep=(PoolName.CONVERSATION,))
        patience = asyncio.get_running_loop().call_later(DRAIN_S, self._engine.retire)
        try:
            await super().shutdown(sockets)
        finally:
            patience.cancel()
