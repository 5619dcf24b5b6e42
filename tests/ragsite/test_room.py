"""Tests of where the bodies of requests go on their way in, and of what is said when the disk has no room for them."""

from __future__ import annotations

import shutil
import stat
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings

from ragsite.management.commands import serve
from ragsite.room import RoomForBody

MB = 1_000_000


async def answer_to(body_bytes: int) -> list[Mapping[str, Any]]:
    """Return what is sent back to a request with a body of this size; the application answers 200."""
    sent: list[Mapping[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)

    async def receive() -> dict[str, Any]:
        raise AssertionError("the body was asked for")

    await RoomForBody(application)({"headers": [(b"content-length", str(body_bytes).encode())]}, receive, send)
    return sent


@pytest.fixture(autouse=True)
def _disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=300 * MB))


async def test_a_body_that_the_disk_can_hold_goes_on() -> None:
    assert [message["status"] for message in await answer_to(100 * MB)] == [200]


async def test_a_body_that_it_cannot_hold_is_refused_with_a_sentence() -> None:
    start, body = await answer_to(101 * MB)
    assert start["status"] == 507
    assert body["body"].decode() == (
        "The disk is full: 303 MB are needed to take this in and 300 MB are free. Make room and add it again."
    )


def test_uploads_pass_through_the_data_folder_alone() -> None:
    folder = Path(settings.FILE_UPLOAD_TEMP_DIR)
    assert folder.parent == settings.HOME
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.django_db
def test_the_server_spools_bodies_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    class Server:
        listening_addresses = ("127.0.0.1",)

        def __init__(self, **_options: Any) -> None:
            pass

        def run(self) -> None:
            seen.append(tempfile.gettempdir())

    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)  # for it to be put back
    monkeypatch.setattr("daphne.server.Server", Server)
    serve.Command().handle()
    assert seen == [str(settings.FILE_UPLOAD_TEMP_DIR)]
