"""Refuses a request whose body the disk cannot hold, before anything tries to write it."""

from __future__ import annotations

import shutil
from collections.abc import Awaitable, Callable, Iterable, Mapping
from typing import Any

from django.conf import settings

from inference.fetch.sizes import human_bytes

COPIES = 3
"""A body is written as it came, as the file that it holds, and as the content that is stored."""

INSUFFICIENT_STORAGE = 507

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[Mapping[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


class RoomForBody:
    """Answer 507 with a sentence where Django would fail in the middle of the upload and say nothing."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        needed = COPIES * _length(scope["headers"])
        free = shutil.disk_usage(settings.FILE_UPLOAD_TEMP_DIR).free
        if needed <= free:
            await self.application(scope, receive, send)
            return
        text = (
            f"The disk is full: {human_bytes(needed)} are needed to take this in and {human_bytes(free)} are free. "
            "Make room and add it again."
        )
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-content-type-options", b"nosniff")]
        await send({"type": "http.response.start", "status": INSUFFICIENT_STORAGE, "headers": headers})
        await send({"type": "http.response.body", "body": text.encode()})


def _length(headers: Iterable[tuple[bytes, bytes]]) -> int:
    """Return the announced length of the body in bytes; a number that makes no sense is for Django to refuse."""
    text = dict(headers).get(b"content-length", b"0")
    return int(text) if text.isdigit() and len(text) < 20 else 0
