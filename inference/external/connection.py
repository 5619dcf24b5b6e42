"""The connection to a server: calls with its key and named failures, and what this process has learned by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import httpx

from inference.contracts import Health
from inference.errors import InferenceError
from inference.external.address import leaves_machine
from inference.external.choice import Server
from inference.external.failures import unreachable

CONNECT_S = 5.0
CALL_S = 5.0
"""For answers that need no model."""
WRITE_S = 60.0


@dataclass
class Learned:
    """What calls to a server have taught this process.

    `without` are the fields that it refuses, `counts` tells whether it counts tokens (None: not tried yet), `llama`
    that it is llama.cpp's, `health` what it said last about itself, with the monotonic moment.
    """

    without: frozenset[str] = frozenset()
    counts: bool | None = None
    llama: bool = False
    health: tuple[float, Health] | None = None


_learned: dict[Server, Learned] = {}


def forget_learned() -> None:
    """Begin anew, like a process that starts: a server may have been changed or replaced behind its address."""
    _learned.clear()


class Connection:
    """Belongs to the event loop that made it; `known` is shared by all connections of the process to this server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.known = _learned.setdefault(server, Learned())
        self.http = httpx.AsyncClient(
            headers={"Authorization": f"Bearer {server.key}"} if server.key else {},
            # How long an answer may take is for whoever reads it to decide.
            timeout=httpx.Timeout(None, connect=CONNECT_S, write=WRITE_S),
            # On this machine no proxy of the user's shell may see documents; elsewhere it may be the only way.
            trust_env=leaves_machine(server.url),
            # Reading the trusted authorities, or SSL_CERT_FILE, takes 20 ms, and http:// has no use for them.
            verify=httpx.create_ssl_context() if server.url.startswith("https://") else False,
            # Whoever is led elsewhere with the text of a document must have been asked before.
            follow_redirects=False,
        )

    async def close(self) -> None:
        """Give the connections back."""
        await self.http.aclose()

    async def call(self, method: str, url: str, body: Any = None, seconds: float = 0) -> httpx.Response:
        """Return the reply to a call, whatever its status; `seconds` may pass without a byte. Raises InferenceError."""
        try:
            return await self.http.request(
                method, url, json=body, timeout=httpx.Timeout(seconds or CALL_S, connect=CONNECT_S)
            )
        except (httpx.HTTPError, httpx.StreamError) as error:
            raise self.failure(error) from error

    def failure(self, error: httpx.HTTPError | httpx.StreamError) -> InferenceError:
        """Return the named failure for an error of the transport."""
        return unreachable(error, self.server, CONNECT_S)
