"""Tests that no call leaves the machine while a document is read and a question answered."""

from __future__ import annotations

import io
import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from inference.fake import FakeEngine
from projects.intake.pipeline import ingest
from projects.models import Document
from ragsite.network import is_loopback

REACHES_OUT = ("socket.connect", "socket.sendto", "socket.sendmsg", "socket.getaddrinfo", "socket.gethostbyname")


class Outbound(Exception):
    """Something tried to reach another machine."""


class Wall:
    """Refuses every call to another machine by any code in the process, and remembers it, while it is up."""

    def __init__(self) -> None:
        self.up = False
        self.attempts: list[str] = []

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.up and event in REACHES_OUT and not _stays_here(event, arguments):
            self.attempts.append(f"{event} {arguments[1:] or arguments}")
            raise Outbound(event)


def _stays_here(event: str, arguments: tuple[Any, ...]) -> bool:
    # getaddrinfo and gethostbyname begin with the name, the others with the socket and its destination.
    target = arguments[0] if event.startswith("socket.get") else arguments[1]
    if not isinstance(target, tuple):
        return (
            target is None
            or isinstance(target, bytes | bytearray)
            or str(target).startswith("/")
            or is_loopback(target)
        )
    return is_loopback(str(target[0]))


# An audit hook sees every use of a socket, however it was made, and cannot be taken out again: one for the process.
WALL = Wall()
sys.addaudithook(WALL)


@pytest.fixture
def wall() -> Iterator[Wall]:
    WALL.attempts.clear()
    WALL.up = True
    yield WALL
    WALL.up = False


def test_wall_stands(wall: Wall) -> None:
    with pytest.raises(Outbound):
        socket.create_connection(("192.0.2.1", 80), timeout=0.1)
    with pytest.raises(Outbound):
        socket.getaddrinfo("example.com", 443)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender, pytest.raises(Outbound):
        sender.sendto(b"x", ("192.0.2.1", 53))
    assert len(wall.attempts) == 3


def test_wall_lets_loopback_through(wall: Wall) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        assert wall.attempts == []


def _letter(path: Path) -> Path:
    """Write a DOCX whose relations point to another machine, as a tracking letter's do."""
    import docx
    from docx.opc.constants import RELATIONSHIP_TYPE

    letter = docx.Document()
    letter.add_heading("Lease", level=1)
    letter.add_paragraph("The monthly rent is 900 euros.")
    letter.part.relate_to("http://tracker.example/pixel.png", RELATIONSHIP_TYPE.IMAGE, is_external=True)
    letter.save(str(path))
    return path


@pytest.mark.django_db(transaction=True)
def test_nothing_leaves_the_machine_while_a_document_is_read_and_asked_about(
    wall: Wall, fake_inference: FakeEngine, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("The deposit is three months' rent. See http://tracker.example/ for more.")
    paths = [str(_letter(tmp_path / "lease.docx")), str(tmp_path / "notes.txt")]
    call_command("ingest", "Flat", *paths, stdout=io.StringIO())
    for document in Document.objects.all():
        ingest(document.pk)
        document.refresh_from_db()
        assert document.is_answerable, document.error
    fake_inference.default = "The rent is 900 euros [1]."
    output = io.StringIO()
    call_command("ask", "Flat", "How much is the monthly rent?", json=True, stdout=output)
    assert "900" in json.loads(output.getvalue())["answer"]
    assert fake_inference.requests
    assert wall.attempts == []
