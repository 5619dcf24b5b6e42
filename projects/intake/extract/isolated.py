"""Reading a file in a process of its own, so that one which crashes, hangs or fills the memory harms itself alone."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from projects.intake.extract.base import Block, Extraction, ExtractionError, PasswordNeeded
from projects.intake.extract.child import Found, Reply, Request

COMMAND = (sys.executable, "-X", "faulthandler", "-m", "projects.intake.extract.child")
ROOT = Path(__file__).resolve().parents[3]

MEGABYTE = 1024 * 1024
LEAST_S, S_PER_MEGABYTE, MOST_S = 60, 6, 600
"""Far beyond what any sound file takes, on a busy machine too; the queue's own limit lies above the most."""
LEAST_BYTES = 2 * 1024 * MEGABYTE
BYTES_PER_BYTE = 8
"""What a packed office file unfolds to in memory."""


@dataclass(frozen=True)
class Limits:
    """What one reading may take: seconds of time, bytes of address space."""

    seconds: float
    memory: int


class ReaderFault(Exception):
    """A reader went wrong in a way that no file should make it; the text is for the log, without words of a file."""


def limits_for(size: int, machine: int) -> Limits:
    """Return the limits for a file of `size` bytes on a machine with `machine` bytes of memory.

    Half the machine is the most, since the model and the rest have to live too; every machine that can run a model has
    more than twice the least.
    """
    seconds = min(LEAST_S + S_PER_MEGABYTE * size / MEGABYTE, MOST_S)
    memory = min(LEAST_BYTES + BYTES_PER_BYTE * size, max(machine // 2, LEAST_BYTES))
    return Limits(seconds, memory)


def extract_isolated(path: Path, name: str, limits: Limits | None = None) -> Extraction:
    """Do what `extract` does, in a child process that is gone afterwards, whatever happens.

    Raises ExtractionError also when the child took too long, took too much memory, crashed or was killed; ReaderFault
    when a reader failed otherwise.
    """
    limits = limits or _limits_for_file(path)
    request = Request(path=str(path), name=name, memory=limits.memory, seconds=int(limits.seconds) + 1)
    # A session of its own is a group to kill as a whole. The name goes in by standard input: commands are public.
    process = subprocess.Popen(COMMAND, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        out, _ = process.communicate(json.dumps(request).encode("ascii"), timeout=limits.seconds)
    except subprocess.TimeoutExpired:
        raise ExtractionError(_too_long(limits)) from None
    finally:
        _end(process)
    if process.returncode:
        raise _died(process.returncode, limits)
    return _extraction(json.loads(out), limits)


def _limits_for_file(path: Path) -> Limits:
    size = path.stat().st_size if path.exists() else 0
    return limits_for(size, psutil.virtual_memory().total)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the child with its group unless it has ended: also on Ctrl-C and on the queue's own time limit."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _extraction(reply: Reply, limits: Limits) -> Extraction:
    match reply:
        case {"found": found}:
            return _from_found(found)
        case {"locked": sentence}:
            raise PasswordNeeded(sentence)
        case {"refused": sentence}:
            raise ExtractionError(sentence)
        case {"memory": _}:
            raise ExtractionError(_too_much_memory(limits))
        case _:
            raise ReaderFault(reply.get("fault", "no reply"))


def _from_found(found: Found) -> Extraction:
    blocks = tuple(Block(text, page, level) for text, page, level in found["blocks"])
    return Extraction(found["media_type"], blocks, found["pages"], tuple(found["warnings"]))


def _died(returncode: int, limits: Limits) -> Exception:
    """Tell what a child that ended without a reply died of; a negative code is the signal that ended it."""
    if returncode > 0:
        return ReaderFault(f"the child ended with code {returncode}")
    ended_by = signal.Signals(-returncode)
    if ended_by == signal.SIGXCPU:
        return ExtractionError(_too_long(limits))
    if ended_by in {signal.SIGKILL, signal.SIGTERM}:
        return ExtractionError(
            "Reading this file was ended from outside, most likely because the machine ran out of memory. "
            "Close other programs and read it again."
        )
    return ExtractionError(
        f"The program that reads such files crashed on this one ({ended_by.name}): it is damaged, or takes more memory "
        f"than the {_gigabytes(limits)} that one file may take. Save it anew or split it, and add it again."
    )


def _too_long(limits: Limits) -> str:
    spent = f"{limits.seconds / 60:.0f} minutes" if limits.seconds >= 120 else f"{limits.seconds:.0f} seconds"
    return f"Reading this file took longer than {spent} and was given up. Save it anew or split it, and add it again."


def _too_much_memory(limits: Limits) -> str:
    return f"Reading this file takes more than the {_gigabytes(limits)} of memory that one file may take. Split it up."


def _gigabytes(limits: Limits) -> str:
    return f"{limits.memory / 1024**3:.1f} GB"
