"""A model hub in a thread: serves one file over HTTP with Range, and misbehaves in the order it is told to."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Refuse:
    """Answer with a status and no file."""

    status: int
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cut:
    """Promise the whole rest of the file and close the connection after `after` bytes of it."""

    after: int


@dataclass(frozen=True)
class IgnoreRange:
    """Send the whole file from its beginning, whatever was asked for."""


@dataclass(frozen=True)
class Mislabel:
    """Send the asked part under a Content-Range that says something else."""

    content_range: str


Behaviour = Refuse | Cut | IgnoreRange | Mislabel


@dataclass
class Hub:
    """What the server does next, and what it was asked."""

    content: bytes
    endpoint: str = ""
    behaviours: deque[Behaviour] = field(default_factory=deque)
    paths: list[str] = field(default_factory=list)
    ranges: list[str | None] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_GET(self) -> None:
        hub = self.hub
        asked = self.headers.get("Range")
        hub.paths.append(self.path)
        hub.ranges.append(asked)
        hub.authorizations.append(self.headers.get("Authorization"))
        behaviour = hub.behaviours.popleft() if hub.behaviours else None
        if isinstance(behaviour, Refuse):
            self._head(behaviour.status, {**behaviour.headers, "Content-Length": "0"})
            return
        first = 0 if asked is None or isinstance(behaviour, IgnoreRange) else int(asked[len("bytes=") : -1])
        body = hub.content[first:]
        headers = {"Content-Length": str(len(body))}
        if first:
            headers["Content-Range"] = f"bytes {first}-{len(hub.content) - 1}/{len(hub.content)}"
        if isinstance(behaviour, Mislabel):
            headers["Content-Range"] = behaviour.content_range
        self._head(206 if first else 200, headers)
        self.wfile.write(body[: behaviour.after] if isinstance(behaviour, Cut) else body)

    def _head(self, status: int, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Keep quiet."""


@contextmanager
def serve_hub(content: bytes) -> Iterator[Hub]:
    """Run a hub that has one file, whatever the path; `behaviours` are used up one per request."""
    hub = Hub(content)
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
