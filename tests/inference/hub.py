"""A model hub in a thread: serves one file over HTTP with Range, and misbehaves in the order it is told to."""

from __future__ import annotations

import hashlib
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
class Hang:
    """Send `after` bytes of what was asked for and then nothing until the server ends."""

    after: int


@dataclass(frozen=True)
class IgnoreRange:
    """Send the whole file from its beginning, whatever was asked for, at most `after` bytes of it."""

    after: int = 1 << 40


@dataclass(frozen=True)
class Mislabel:
    """Send the asked part under a Content-Range that says something else."""

    content_range: str


@dataclass(frozen=True)
class Corrupt:
    """Send other bytes than the file's, as many as were asked for but `after` at most, and say nothing about it."""

    after: int = 1 << 40


@dataclass(frozen=True)
class Replace:
    """Have another file in the place of the one that was there from now on, and answer with it."""

    content: bytes
    after: int = 1 << 40


@dataclass(frozen=True)
class Deaf:
    """Send the asked part of another file from now on, whatever If-Range names."""

    content: bytes


Behaviour = Refuse | Cut | Hang | IgnoreRange | Mislabel | Corrupt | Replace | Deaf


@dataclass
class Hub:
    """What the server has, says and does next, and what it was asked.

    `sized` says how long a body is; `tagged` sends an entity tag and `hashed` a checksum, as the content is at that
    moment; `announced` are headers of every answer with bytes.
    """

    content: bytes
    endpoint: str = ""
    sized: bool = True
    tagged: bool = False
    hashed: bool = False
    announced: dict[str, str] = field(default_factory=dict)
    behaviours: deque[Behaviour] = field(default_factory=deque)
    paths: list[str] = field(default_factory=list)
    ranges: list[str | None] = field(default_factory=list)
    conditions: list[str | None] = field(default_factory=list)
    authorizations: list[str | None] = field(default_factory=list)
    hanging: threading.Event = field(default_factory=threading.Event)
    ended: threading.Event = field(default_factory=threading.Event)

    @property
    def tag(self) -> str:
        return f'"{hashlib.md5(self.content).hexdigest()}"'


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def do_GET(self) -> None:
        hub = self.hub
        behaviour = hub.behaviours.popleft() if hub.behaviours else None
        self._remember()
        if isinstance(behaviour, Refuse):
            self._head(behaviour.status, {**behaviour.headers, "Content-Length": "0"})
            return
        if isinstance(behaviour, Replace | Deaf):
            hub.content = behaviour.content
        first = self._first(behaviour)
        if first and first >= len(hub.content):
            self._head(416, {"Content-Range": f"bytes */{len(hub.content)}", "Content-Length": "0"})
            return
        body = hub.content[first:]
        headers = {**({"Content-Length": str(len(body))} if hub.sized else {}), **hub.announced}
        if hub.tagged:
            headers["ETag"] = hub.tag
        if hub.hashed:
            headers["X-Linked-ETag"] = f'"{hashlib.sha256(hub.content).hexdigest()}"'
        if first:
            headers["Content-Range"] = f"bytes {first}-{len(hub.content) - 1}/{len(hub.content)}"
        if isinstance(behaviour, Mislabel):
            headers["Content-Range"] = behaviour.content_range
        self._head(206 if first else 200, headers)
        if isinstance(behaviour, Corrupt):
            body = bytes(byte ^ 0xFF for byte in body)
        self.wfile.write(body[: getattr(behaviour, "after", len(body))])
        if isinstance(behaviour, Hang):
            hub.hanging.set()
            hub.ended.wait()

    def _remember(self) -> None:
        hub, headers = self.hub, self.headers
        hub.paths.append(self.path)
        hub.ranges.append(headers.get("Range"))
        hub.conditions.append(headers.get("If-Range"))
        hub.authorizations.append(headers.get("Authorization"))

    def _first(self, behaviour: Behaviour | None) -> int:
        """Return the offset of the first byte to send."""
        asked, condition = self.headers.get("Range"), self.headers.get("If-Range")
        if asked is None or isinstance(behaviour, IgnoreRange):
            return 0
        if condition and condition != self.hub.tag and not isinstance(behaviour, Deaf):
            return 0
        return int(asked[len("bytes=") : -1])

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
        hub.ended.set()
        server.shutdown()
        thread.join()
        server.server_close()
