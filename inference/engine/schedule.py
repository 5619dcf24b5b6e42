"""Which tokens enter the next batch: the pure part of continuous batching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

GRAIN = 8
"""Tokens; prompts are cut into batches, and prefixes reused, only at multiples of this, and no batch of a prompt has
fewer (unless the prompt itself does).

llama.cpp computes a few rows with other kernels than many, with results that differ in the last bits: matrix products
take rows four at a time and the rest one by one, attention has a variant for fewer than eight. Cut by this rule, every
token of a prompt meets the same kernel whatever was in the cache before, so a restored, resumed or reused prefix gives
exactly the logits of a plain prefill. (Without flash attention, whose kernels change at 64 rows.)
"""


def aligned(tokens: int) -> int:
    """Return the largest multiple of `GRAIN` that is not above `tokens`."""
    return tokens - tokens % GRAIN


SHARED_PREFILL_S = 0.35
"""Seconds of reading between two tokens of the answers that are being written meanwhile."""

ANSWER_STEPS = 3
"""Tokens that every answer gets between two such stretches of reading: at 0.35 s a pace that people read at."""

SMALLEST_SHARE = 16
"""Tokens; below this the fixed cost of a batch eats the prefill."""


@dataclass(frozen=True)
class Need:
    """What one busy slot wants: `pending` tokens to compute, of which generation always has exactly one."""

    slot: int
    pending: int
    generating: bool


@dataclass(frozen=True)
class Turns:
    """Whose turn it is: the slot that read last, and the steps that answers have had since."""

    reader: int = -1
    steps: int = 0


@dataclass(frozen=True)
class Batch:
    """How many tokens each slot puts into the next batch, and the turns after it."""

    shares: Mapping[int, int]
    turns: Turns


def stretch(pending: int, budget: int) -> int:
    """Return how many of the pending tokens the next batch takes, such that no rest below a grain is left."""
    share = min(pending, budget)
    return share - GRAIN if 0 < pending - share < GRAIN else share


def prefill_budget(ubatch: int, prefill_tps: float, *, alone: bool) -> int:
    """Return how many prompt tokens the next batch may hold.

    Alone, a prefill takes a whole ubatch. Beside answers it takes what the machine reads in `SHARED_PREFILL_S`.
    """
    if alone:
        return aligned(ubatch)
    share = int(prefill_tps * SHARED_PREFILL_S)
    return aligned(min(ubatch, max(share, SMALLEST_SHARE)))


def compose(needs: Sequence[Need], turns: Turns, ubatch: int, prefill_tps: float) -> Batch:
    """Return the next batch: either one token of every answer, or a stretch of one prompt.

    The two are never mixed, and neither are two prompts: llama.cpp cuts a batch of unequal sequences into ubatches of
    its own, by which a prompt would be computed in shapes that depend on its neighbours (see `GRAIN`), and an abort in
    between would leave a half. So a batch is one ubatch, computed whole or not at all. Prompts take turns, so that a
    short question gets through beside a long document.
    """
    answering = [need for need in needs if need.generating]
    reading = [need for need in needs if not need.generating]
    if answering and (not reading or turns.steps < ANSWER_STEPS):
        return Batch({need.slot: 1 for need in answering}, Turns(turns.reader, turns.steps + 1))
    if not reading:
        return Batch({}, turns)
    budget = prefill_budget(ubatch, prefill_tps, alone=not answering)
    first = min(reading, key=lambda need: (need.slot <= turns.reader, need.slot))
    return Batch({first.slot: stretch(first.pending, budget)}, Turns(first.slot, 0))


def common_prefix(held: Sequence[int], wanted: Sequence[int]) -> int:
    """Return how many leading tokens are the same."""
    limit = min(len(held), len(wanted))
    # Halving with slice comparison runs in C; a loop over twelve thousand tokens would not.
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if list(held[low:middle]) == list(wanted[low:middle]):
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class FreeSlot:
    """An idle slot as the choice sees it: whose it was last (None: nobody's yet), what it shares, when it was used."""

    slot: int
    shared: int
    conversation: str | None
    used: float


def choose_slot(free: Sequence[FreeSlot], conversation: str) -> int:
    """Return the idle slot that a request gets.

    A slot of the same conversation comes first (requests without one count as one conversation), the one that holds
    most of the prompt among several. Otherwise the slot unused for longest, whatever the others hold: a common prefix
    is copied from where it lies, and nobody's history is overwritten for it.
    """

    def rank(candidate: FreeSlot) -> tuple[bool, int, float]:
        own = candidate.conversation == conversation
        return (own, candidate.shared if own else 0, -candidate.used)

    return max(free, key=rank).slot


def next_in_line(waiting: Sequence[str], served: Mapping[str, int]) -> int:
    """Return the place in line of the request that is admitted next.

    `waiting` are the conversations of the requests in order of arrival, `served` the number of the last admission of
    each conversation. The one served longest ago (or never) comes first, so that a tab that asks ten questions at once
    does not keep another one waiting behind all of them; within a conversation the order of arrival holds.
    """
    return min(range(len(waiting)), key=lambda place: (served.get(waiting[place], 0), place))
