"""How much of the machine's memory a model may have, and the window that fits into it. Pure arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any, Self

from inference.engine.machine import Machine
from inference.errors import ModelFailed

GIB = 1 << 30
STEP = 256
"""Tokens; llama.cpp rounds a window up to a multiple of this."""
WISHED_WINDOW = 16_384
"""Tokens; nine reports of four pages. Beyond it a CPU reads for minutes, and a larger window must be asked for."""
MODEST_WINDOW = 4096
"""Tokens; conversations side by side are given up before the window gets smaller than this."""
SMALLEST_WINDOW = 2048
"""Tokens; system text, some passages, question and answer. With less the product does not work."""
SERVICE_WINDOW = 4096
"""Tokens; service calls are short."""
PROCESS = 300 << 20
"""Bytes of the service itself: Python, llama.cpp, vocabulary, HTTP."""


@dataclass(frozen=True)
class Curve:
    """Bytes by window, as measured at some `points` (tokens, bytes) in ascending order; straight lines between them."""

    points: tuple[tuple[int, int], ...]

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what a `Curve` looks like in JSON. Raises KeyError, TypeError or ValueError on anything else."""
        return cls(tuple((int(tokens), int(size)) for tokens, size in data["points"]))

    def at(self, tokens: int) -> int:
        """Return the bytes for a window: below the first point as there, beyond the last on the last line."""
        before, after = self.points[0], self.points[-1]
        if len(self.points) == 1 or tokens <= before[0]:
            return before[1]
        for left, right in pairwise(self.points):
            before, after = left, right
            if tokens <= right[0]:
                break
        # A buffer that needs less for a larger window counts as staying: less memory must not give the larger window.
        grown = max(0, after[1] - before[1]) * (tokens - before[0])
        return before[1] - -grown // (after[0] - before[0])

    @property
    def per_token(self) -> float:
        """Bytes for each further token of window, over the whole range."""
        (first, least), (last, most) = self.points[0], self.points[-1]
        return (most - least) / (last - first) if last > first else 0.0


@dataclass(frozen=True)
class Costs:
    """What a model takes under one set of flags.

    `weights` are the bytes of its tensors. Where llama.cpp keeps a second, rearranged copy of some, the originals are
    mapped from the file and leave memory as soon as it gets scarce, so they are counted once. `cache` is the cost of
    one sequence, `compute` that of one context.
    """

    weights: int
    cache: Curve
    compute: Curve
    trained_window: int

    def to_json(self) -> dict[str, Any]:
        """Return what `from_json` reads."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote. Raises KeyError, TypeError or ValueError on anything else."""
        cache, compute = Curve.from_json(data["cache"]), Curve.from_json(data["compute"])
        return cls(int(data["weights"]), cache, compute, int(data["trained_window"]))


@dataclass(frozen=True)
class Wish:
    """What is asked for: tokens of window for each conversation, and conversations that are answered side by side."""

    window: int = WISHED_WINDOW
    conversations: int = 2


@dataclass(frozen=True)
class Share:
    """What a model gets: its window, conversations, the bytes that takes in all, and what a person should know."""

    window: int
    conversations: int
    bytes: int
    notes: tuple[str, ...] = ()
    tight: bool = False


def reserve(total: int) -> int:
    """Return the bytes that are left to the system, the pages, the embedding model and a browser."""
    return max(2 * GIB, total // 8)


def needed(costs: Costs, window: int, conversations: int) -> int:
    """Return the bytes of the service: weights, three contexts with their cells and buffers, and the process."""
    service = min(window, SERVICE_WINDOW)
    cells = (conversations + 1) * costs.cache.at(window) + costs.cache.at(service)
    buffers = 2 * costs.compute.at(window) + costs.compute.at(service)
    return costs.weights + PROCESS + cells + buffers


def least_memory(costs: Costs) -> int:
    """Return the bytes of memory a machine needs in all, so that the model runs in the smallest way that is of use."""
    least = needed(costs, _floor(costs, SMALLEST_WINDOW), 1)
    return max(least + 2 * GIB, -(-least * 8 // 7) + 1)


def share(costs: Costs, machine: Machine, wish: Wish) -> Share:
    """Return the largest window up to the wished one that fits. Raises ModelFailed when the smallest does not.

    What is free at the moment decides nothing: it is different a minute later. It gives a warning.
    """
    room = machine.total - reserve(machine.total)
    top = _floor(costs, wish.window)
    modest = min(top, MODEST_WINDOW)
    # Each line begins where the one before ends, so that more memory never gives a smaller window.
    for conversations, high, low in ((wish.conversations, top, modest), (1, modest, min(modest, SMALLEST_WINDOW))):
        for window in range(high, low - 1, -STEP):
            if (size := needed(costs, window, conversations)) <= room:
                tight = size > machine.available
                notes = _notes(costs, machine, wish, window, conversations)
                return Share(window, conversations, size, notes, tight)
    raise ModelFailed(too_large(costs, machine))


def too_large(costs: Costs, machine: Machine) -> str:
    """Return the sentence for a model that the machine cannot run."""
    wanted, there = least_memory(costs) / GIB, machine.total / GIB
    if math.ceil(wanted) > round(there):
        return f"This model needs at least {math.ceil(wanted)} GB of memory; this machine has {round(there)}."
    tenths = math.ceil(wanted * 10) / 10, math.floor(there * 10) / 10
    return f"This model needs at least {tenths[0]} GB of memory; this machine has {tenths[1]}."


TIGHT = "Memory is tight at the moment: close some programs, or answers will be slow."


def _floor(costs: Costs, window: int) -> int:
    """Return the largest multiple of `STEP` within the wish and the model's own window."""
    return max(STEP, min(window, costs.trained_window) // STEP * STEP)


def _notes(costs: Costs, machine: Machine, wish: Wish, window: int, conversations: int) -> tuple[str, ...]:
    notes = []
    if window < _floor(costs, wish.window):
        notes.append(
            f"The window holds {window:,} tokens instead of {_floor(costs, wish.window):,}: "
            f"the {machine.total / GIB:.1f} GB of this machine hold no more."
        )
    elif window < wish.window // STEP * STEP:
        notes.append(f"The window holds {window:,} tokens: the model was made for no more.")
    if conversations < wish.conversations:
        notes.append(f"One question is answered at a time instead of {wish.conversations}, to save memory.")
    return tuple(notes)
