"""Which tokens enter the next batch: the pure part of continuous batching."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

SHARED_PREFILL_S = 0.35
"""Seconds that a prefill may hold up the answers that are being written beside it, per batch."""

SMALLEST_SHARE = 16
"""Tokens; below this the fixed cost of a batch eats the prefill."""


GRAIN = 4
"""Tokens; prompts are cut into batches, and prefixes reused, only at multiples of this.

llama.cpp's matrix kernels compute rows four at a time and the rest one by one, with results that differ in the last
bits. Cut at multiples of four, every token of a prompt meets the same kernel whatever was in the cache before, so a
restored, resumed or reused prefix gives exactly the logits of a plain prefill (without flash attention, which has
another kernel for fewer than 64 rows).
"""


def aligned(tokens: int) -> int:
    """Return the largest multiple of `GRAIN` that is not above `tokens`."""
    return tokens - tokens % GRAIN


@dataclass(frozen=True)
class Need:
    """What one busy slot wants: `pending` tokens to compute, of which generation always has exactly one."""

    slot: int
    pending: int
    generating: bool


def prefill_budget(room: int, ubatch: int, generating: int, prefill_tps: float) -> int:
    """Return how many prompt tokens the next batch may hold.

    Alone, a prefill takes a whole ubatch: the unit that an abort keeps. Beside answers it takes what the machine reads
    in `SHARED_PREFILL_S`, so that their tokens keep coming.
    """
    if not generating:
        return aligned(min(room, ubatch))
    share = int(prefill_tps * SHARED_PREFILL_S) if prefill_tps > 0 else SMALLEST_SHARE
    return aligned(max(min(room, ubatch - generating, max(share, SMALLEST_SHARE)), 0))


def compose(needs: Sequence[Need], turn: int, budget: int) -> dict[int, int]:
    """Return how many tokens each slot puts into the next batch.

    Every generating slot gets its token. The prefill budget goes to one slot, and what that leaves to the next ones:
    slots take turns beginning behind `turn` (the slot that was served first last time), so that a short question gets
    through beside a long document.
    """
    shares = {need.slot: 1 for need in needs if need.generating}
    waiting = sorted((need for need in needs if not need.generating), key=lambda need: (need.slot <= turn, need.slot))
    for need in waiting:
        share = need.pending if need.pending <= budget else aligned(budget)
        if share <= 0:
            break
        shares[need.slot] = share
        budget -= share
    return shares


def first_served(shares: dict[int, int], needs: Sequence[Need], turn: int) -> int:
    """Return the prefilling slot that was served first, to be passed as the next `turn`."""
    prefilling = [need.slot for need in needs if not need.generating and need.slot in shares]
    return min(prefilling, key=lambda slot: (slot <= turn, slot), default=turn)


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
