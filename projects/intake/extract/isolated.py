"""Reading a file in a process of its own, so that one which crashes, hangs or fills the memory harms itself alone."""

from __future__ import annotations

import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from projects.children import end_group
from projects.intake.extract.base import Context, Extraction, ExtractionError, PasswordNeeded
from projects.intake.extract.limits import (
    Limits,
    gigabytes,
    limits_for_file,
    no_progress,
    too_long,
    too_much_memory,
)
from projects.intake.extract.protocol import Reply, Request, as_extraction

COMMAND = (sys.executable, "-X", "faulthandler", "-m", "projects.intake.extract.child")
ROOT = Path(__file__).resolve().parents[3]
LOOK_EVERY_S = 0.2
ENDING_S = 5.0
BLOCK = 1024 * 1024
PROGRESS = b'{"progress"'


class ReaderFault(Exception):
    """A reader went wrong in a way that no file should make it; the text is for the log, without words of a file."""


class ReadingStopped(Exception):
    """Nobody wants the file read any more, and the child is gone."""


@dataclass(frozen=True)
class Watcher:
    """Who waits for the child: `wanted` is asked a few times a second, `arrived` is told that it has replied.

    From that moment on a file that is too much for this machine harms this process, and not the child alone.
    """

    wanted: Callable[[], bool] = lambda: True
    arrived: Callable[[], None] = lambda: None


def extract_isolated(
    path: Path, context: Context, watcher: Watcher | None = None, limits: Limits | None = None
) -> Extraction:
    """Do what `extract` does, in a child process that is gone afterwards, whatever happens.

    Raises ReadingStopped when the file is not wanted any more; ExtractionError also when the child took too long, took
    too much memory, crashed or was killed; ReaderFault when a reader failed otherwise.
    """
    watcher = watcher or Watcher()
    limits = limits or limits_for_file(path)
    # A session of its own is a group to kill as a whole. The name goes in by standard input: commands are public.
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        _send(process, _request(path, context, limits))
        line = _listen(process, context, limits, watcher.wanted)
        if line is None:
            raise _died(process.wait(ENDING_S), limits)
    except subprocess.TimeoutExpired:
        raise ReaderFault("the child closed its output and went on") from None
    finally:
        _end(process)  # one that has replied too: threads of a library may keep it from ending
    watcher.arrived()
    return _extraction(json.loads(line), limits)


def _request(path: Path, context: Context, limits: Limits) -> Request:
    return {
        "path": str(path),
        "name": context.name,
        "password": context.password,
        "folder": str(context.folder or ""),
        "kept": str(context.kept or ""),
        "memory": limits.memory,
        # Of all cores together, and only for a child that nobody ends.
        "seconds": int(limits.seconds + 1) * (os.cpu_count() or 1),
        "file_size": int(settings.MAX_UPLOAD_BYTES),
    }


def _send(process: subprocess.Popen[bytes], request: Request) -> None:
    if process.stdin is None:
        raise AssertionError("the child is started with pipes")
    with suppress(BrokenPipeError), process.stdin as stream:  # why it ended is told by its code
        stream.write(json.dumps(request).encode("ascii"))


def _listen(
    process: subprocess.Popen[bytes], context: Context, limits: Limits, wanted: Callable[[], bool]
) -> bytes | None:
    """Return the line with the child's reply, None if it ended without one; passes on its progress meanwhile."""
    began = moved = time.monotonic()
    for line in _lines(process):
        if line is not None:
            if not line.startswith(PROGRESS):
                return line
            moved = time.monotonic()
            context.progress(*json.loads(line)["progress"])
        if not wanted():
            raise ReadingStopped
        now = time.monotonic()
        if now - began > limits.seconds:
            raise ExtractionError(too_long(limits.seconds))
        if now - moved > limits.silent:
            raise ExtractionError(too_long(limits.silent) if moved == began else no_progress(limits.silent))
    return None


def _lines(process: subprocess.Popen[bytes]) -> Iterator[bytes | None]:
    """Yield whole lines of the child's output until it ends, and None whenever a moment passed without one."""
    if process.stdout is None:
        raise AssertionError("the child is started with pipes")
    parts: list[bytes] = []
    with selectors.DefaultSelector() as selector:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(LOOK_EVERY_S):
                yield None
                continue
            block = os.read(process.stdout.fileno(), BLOCK)
            if not block:
                return
            *ended, rest = block.split(b"\n")
            for line in ended:
                yield b"".join([*parts, line])
                parts.clear()
            parts.append(rest)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the child with its group unless it has ended well: also on Ctrl-C and on the queue's own time limit."""
    end_group(process)
    if process.stdout is not None:
        process.stdout.close()


def _extraction(reply: Reply, limits: Limits) -> Extraction:
    match reply:
        case {"found": found}:
            return as_extraction(found)
        case {"locked": sentence}:
            raise PasswordNeeded(sentence)
        case {"refused": sentence}:
            raise ExtractionError(sentence)
        case {"memory": _}:
            raise ExtractionError(too_much_memory(limits))
        case _:
            raise ReaderFault(reply.get("fault", "no reply"))


def _died(returncode: int, limits: Limits) -> Exception:
    """Tell what a child that ended without a reply died of; a negative code is the signal that ended it."""
    if returncode >= 0:
        return ReaderFault(f"the child ended with code {returncode}")
    ended_by = signal.Signals(-returncode)
    if ended_by == signal.SIGXCPU:
        return ExtractionError(too_long(limits.seconds))
    if ended_by in {signal.SIGKILL, signal.SIGTERM}:
        return ExtractionError(
            "Reading this file was ended from outside, most likely because the machine ran out of memory. "
            "Close other programs and read it again."
        )
    return ExtractionError(
        f"The program that reads such files crashed on this one ({ended_by.name}): it is damaged, or takes more memory "
        f"than the {gigabytes(limits)} that one file may take. Save it anew or split it, and add it again."
    )
