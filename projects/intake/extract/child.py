"""The process that opens one file and dies with it if it must (`python -m projects.intake.extract.child`).

It takes a request as JSON on standard input and gives a reply as JSON on standard output. Both sides name the keys by
the TypedDicts below. Nothing else is imported than what reading a file needs: no Django, no database.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from contextlib import suppress
from pathlib import Path
from typing import TypedDict

from projects.intake.extract.base import Context, Extraction, ExtractionError, PasswordNeeded
from projects.intake.extract.registry import extract

MAX_CHARACTERS = 100_000_000
"""Of text in one file: the processes after this one hold it as a whole."""
TOO_MUCH_TEXT = f"The file holds more than {MAX_CHARACTERS // 1_000_000} million characters. Split it up."
FIRST_TO_GO = "800"
"""In the kernel's scale up to 1,000: when memory runs out it ends this process rather than the model."""

PR_SET_PDEATHSIG = 1
"""Of Linux's prctl."""


class Request(TypedDict):
    """What to read; `memory` in bytes of address space, `seconds` of processor time."""

    path: str
    name: str
    memory: int
    seconds: int


class Found(TypedDict):
    """An Extraction; each block is (text, page, level)."""

    media_type: str
    blocks: list[tuple[str, int | None, int]]
    pages: int | None
    warnings: list[str]


class Reply(TypedDict, total=False):
    """Exactly one of: what was found, why the file cannot be read (`locked`: for want of a password), want of memory.

    `fault` is where a reader went wrong: the kind of error and its frames, not its message, which may hold words of
    the document.
    """

    found: Found
    refused: str
    locked: str
    memory: bool
    fault: str


def main() -> None:
    """Read the file that the request names and reply."""
    request: Request = json.loads(sys.stdin.buffer.read())
    # Whatever a library prints must not end up in the reply.
    out = os.dup(1)
    os.dup2(2, 1)
    limit(request["memory"], request["seconds"])
    reply = json.dumps(answer(request)).encode("ascii")
    with suppress(BrokenPipeError), os.fdopen(out, "wb") as stream:  # nobody may be waiting any more
        stream.write(reply)


def answer(request: Request) -> Reply:
    """Read the file and say how that ended."""
    try:
        extraction = extract(Path(request["path"]), Context(request["name"]))
        if sum(len(block.text) for block in extraction.blocks) > MAX_CHARACTERS:
            return {"refused": TOO_MUCH_TEXT}
        return {"found": _found(extraction)}
    except PasswordNeeded as error:
        return {"locked": error.message}
    except ExtractionError as error:
        return {"refused": error.message}
    except MemoryError:
        return {"memory": True}
    except Exception as error:  # noqa: BLE001 - the edge of the process: the other side logs it
        return {"fault": f"{type(error).__name__}\n{''.join(traceback.format_tb(error.__traceback__))}"}


def limit(memory: int, seconds: int) -> None:
    """Bound this process where the platform can: memory, time even if nobody waits any more, and no core dump.

    A core dump would be a copy of the document outside the data folder.
    """
    if sys.platform == "linux":
        _end_with_parent()
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(FIRST_TO_GO)
    try:
        import resource
    except ImportError:  # Windows
        return
    for kind, bound in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
    ):
        with suppress(OSError, ValueError):  # macOS knows some of them in name only
            resource.setrlimit(kind, (bound, resource.getrlimit(kind)[1]))


def _end_with_parent() -> None:
    """Have the kernel kill this process when the one that waits for it dies: its successor starts another one."""
    import ctypes

    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _found(extraction: Extraction) -> Found:
    return {
        "media_type": extraction.media_type,
        "blocks": [(block.text, block.page, block.level) for block in extraction.blocks],
        "pages": extraction.pages,
        "warnings": list(extraction.warnings),
    }


if __name__ == "__main__":
    main()
