"""The process that opens one file and dies with it if it must (`python -m projects.intake.extract.child`).

It takes one request on standard input and answers on standard output, in the lines of `protocol`. Nothing else is
imported than what reading a file needs: no Django, no database.
"""

from __future__ import annotations

import errno
import json
import os
import sys
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from projects.bounds import bound_process
from projects.intake.extract.base import Context, ExtractionError, PasswordNeeded
from projects.intake.extract.protocol import Progress, Reply, Request, as_found
from projects.intake.extract.registry import extract

MAX_CHARACTERS = 100_000_000
"""Of text in one file: the processes after this one hold it as a whole."""
TOO_MUCH_TEXT = f"The file holds more than {MAX_CHARACTERS // 1_000_000} million characters. Split it up."
DISK_FULL = "The disk is full, and this file cannot be unpacked. Free some space and read it again."
TOO_LARGE_WITHIN = "A file within this one is larger than any file may be. Take it out and add it by itself."
TELL_EVERY_S = 0.1

Say = Callable[[Any], None]


def main() -> None:
    """Read the file that the request names and reply."""
    request: Request = json.loads(sys.stdin.buffer.read())
    # Whatever a library prints must not end up among the replies.
    out = os.dup(1)
    os.dup2(2, 1)
    limit(request)
    with suppress(BrokenPipeError), os.fdopen(out, "wb") as stream:  # nobody may be waiting any more

        def say(value: Any) -> None:
            stream.write(json.dumps(value).encode("ascii") + b"\n")
            stream.flush()

        try:
            say(answer(request, Teller(say)))
        except MemoryError:  # the text fits and its JSON beside it does not
            say(Reply(memory=True))


class Teller:
    """Passes progress on, a few times a second at most: some readers count rows."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self._told = 0.0

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() - self._told >= TELL_EVERY_S:
            self._say(Progress(progress=(done, total)))
            self._told = time.monotonic()


def answer(request: Request, tell: Callable[[int, int], None]) -> Reply:
    """Read the file and say how that ended."""
    folder, kept = (Path(path) if path else None for path in (request["folder"], request["kept"]))
    context = Context(request["name"], request["password"], tell, folder, kept)
    try:
        extraction = extract(Path(request["path"]), context)
        if sum(len(block.text) for block in extraction.blocks) > MAX_CHARACTERS:
            return {"refused": TOO_MUCH_TEXT}
        return {"found": as_found(extraction)}
    except PasswordNeeded as error:
        return {"locked": error.message}
    except ExtractionError as error:
        return {"refused": error.message}
    except MemoryError:
        return {"memory": True}
    except Exception as error:  # noqa: BLE001 - the edge of the process: the other side logs it
        return _went_wrong(error)


def _went_wrong(error: Exception) -> Reply:
    code = error.errno if isinstance(error, OSError) else None
    if code in {errno.ENOSPC, errno.EDQUOT}:
        return {"refused": DISK_FULL}
    if code == errno.EFBIG:
        return {"refused": TOO_LARGE_WITHIN}
    return {"fault": f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}"}


def limit(request: Request) -> None:
    """Bound this process: memory, time even if nobody waits any more, and the size of files."""
    bound_process(memory=request["memory"], seconds=request["seconds"], file_size=request["file_size"])


if __name__ == "__main__":
    main()
