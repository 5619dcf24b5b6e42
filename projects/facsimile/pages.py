"""Has the page of a document drawn, within limits, and says in a sentence when that cannot be."""

from __future__ import annotations

import json
import logging
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from projects.children import end_group
from projects.facsimile.wire import Reply, Request, Wanted
from projects.intake.extract.sniff import JPEG, PDF, PNG, TIFF

logger = logging.getLogger(__name__)

COMMAND = (sys.executable, "-X", "faulthandler", "-m", "projects.facsimile.child")
ROOT = Path(__file__).resolve().parents[2]
DRAWN = frozenset({PDF, PNG, JPEG, TIFF})
"""Media types whose pages have a picture."""

SECONDS = 20
MEMORY = 1536 * 1024 * 1024
"""Of address space; a page of the usual kind takes a tenth."""
AT_ONCE = 2
PATIENCE_S = 30.0
"""How long a page waits for others that are being drawn."""

BUSY = "Too many pages are being drawn just now. Load this page again in a moment."
TOO_LONG = (
    f"Drawing this page took longer than {SECONDS} seconds and was given up. The text beside it is what was read."
)
CRASHED = "The program that draws pages failed on this one: the file is damaged. The text is what was read of it."

_turns = threading.BoundedSemaphore(AT_ONCE)


class PageNotDrawn(Exception):
    """There is no picture of the page; `message` says why, for a person."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


@dataclass(frozen=True)
class Place:
    """A rectangle on a page's picture, in its pixels."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True)
class Printed:
    """A page as printed: the file's number of pages, the picture's size in pixels, where wanted words stand on it.

    `picture` is a WebP file, empty unless it was asked for.
    """

    pages: int
    width: int
    height: int
    places: tuple[Place, ...]
    picture: bytes


@dataclass(frozen=True)
class Original:
    """A stored file: where it is, what it is and what opens it."""

    path: Path
    media_type: str
    password: str = ""


def has_pictures(media_type: str) -> bool:
    """Tell whether pages of such a file can be shown as printed."""
    return media_type in DRAWN


def printed(original: Original, page: int, wanted: Sequence[Wanted] = (), *, draw: bool = False) -> Printed:
    """Find words on a page, numbered from 1, and draw it if asked; in a child process that is gone afterwards.

    Raises PageNotDrawn also when the child took too long, took too much memory, crashed, or has to wait for too long.
    """
    request = Request(
        path=str(original.path),
        media_type=original.media_type,
        password=original.password,
        page=page,
        draw=draw,
        wanted=list(wanted),
        memory=MEMORY,
        seconds=SECONDS,
    )
    if not _turns.acquire(timeout=PATIENCE_S):
        raise PageNotDrawn(BUSY)
    try:
        out = _run(json.dumps(request).encode("ascii"))
    finally:
        _turns.release()
    head, _, picture = out.partition(b"\n")
    return _printed(json.loads(head), picture)


def _run(request: bytes) -> bytes:
    # The request goes in by standard input: commands are public, and it holds a password and words of the document.
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        out, _ = process.communicate(request, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise PageNotDrawn(TOO_LONG) from None
    finally:
        _end(process)
    if process.returncode == -signal.SIGXCPU:
        raise PageNotDrawn(TOO_LONG)
    if process.returncode:
        logger.warning("drawing a page ended with code %s", process.returncode)
        raise PageNotDrawn(CRASHED)
    return out


def _end(process: subprocess.Popen[bytes]) -> None:
    end_group(process)
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):  # what it did not take any more
                pipe.close()


def _printed(reply: Reply, picture: bytes) -> Printed:
    if "refused" in reply:
        raise PageNotDrawn(reply["refused"])
    places = tuple(Place(*place) for place in reply["places"])
    return Printed(reply["pages"], reply["width"], reply["height"], places, picture)
