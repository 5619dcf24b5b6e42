"""When a model may be measured: not while a person waits for an answer, and not beside other work of the engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from inference import endpoint
from inference.engine.machine import this_machine
from inference.switching.look import Service

ROOM = 512 << 20
"""Bytes that a measurement takes beside the weights: a small context, its buffers, the process."""
ANSWERING = "Waits until the question under way is answered."
READING = "Waits until the documents' reading has paused."
GAVE_WAY = "Gave way to a question, because memory is short; it begins anew afterwards."


@dataclass(frozen=True)
class Around:
    """What else the machine does: whether a person waits for an answer, whether the model is busy otherwise, and the
    bytes of memory that are free.
    """

    answering: bool
    busy: bool
    available: int


def look_around(run_dir: Path) -> Around:
    """Return it as of now; a model that does not answer is not asked anything either."""
    where = endpoint.read(run_dir)
    metrics = Service(run_dir).metrics(where.pid) if where else None
    return around(metrics or {}, this_machine().available)


def around(metrics: Mapping[str, float], available: int) -> Around:
    """Return it by the figures of the model's service."""

    def at_work(pool: str) -> bool:
        return any(metrics.get(f"{pool}_{what}", 0.0) > 0 for what in ("active", "waiting"))

    return Around(at_work("conversation"), at_work("service") or at_work("study"), available)


def is_short(now: Around, weights: int) -> bool:
    """Tell whether a second model beside the one in use takes memory that is not there."""
    return now.available < weights + ROOM


def reason_to_wait(now: Around) -> str:
    """Return why a measurement does not begin, empty when it may: beside other work it would measure that work."""
    if now.answering:
        return ANSWERING
    return READING if now.busy else ""


def reason_to_stop(now: Around, *, short: bool) -> str:
    """Return why one under way makes room, empty when it goes on.

    Where memory is plenty it goes on beside a question, at low priority; where it is short, the system might end the
    model that answers.
    """
    return GAVE_WAY if now.answering and short else ""
