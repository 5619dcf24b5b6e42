"""Decides in which steps a document is read. Pure arithmetic over the tokens of its pieces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

STRETCH = 1_600
"""Tokens of one step: some 16 s of two cores, and what is read again at most after a kill."""
ONE_READING = 2_400
"""Tokens up to which a document is read in one step and has one summary: a second instruction would cost as much as it
tells, and a small model says of four pages in one go what there is to say."""


@dataclass(frozen=True)
class Step:
    """One reading: the pieces from `first` up to but without `last` (indexes), within part `part` of the document."""

    first: int
    last: int
    part: int
    tokens: int


@dataclass(frozen=True)
class Plan:
    """All steps in order, and for each part its pieces. A part fits into the window as a whole."""

    steps: tuple[Step, ...]
    parts: tuple[range, ...]

    @property
    def is_single(self) -> bool:
        """The document is read in one go and has no section summaries."""
        return len(self.steps) == 1

    @property
    def total(self) -> int:
        """Steps in all: the readings, and the drawing together of several."""
        return len(self.steps) + (0 if len(self.steps) <= 1 else 1)


def plan(counts: Sequence[int], room: int) -> Plan:
    """Return the plan for pieces of these token counts when a prompt has room for `room` tokens of text.

    A document longer than the room is cut into parts of about the same size, each read from its own beginning. Within
    a part the steps grow the same prompt, so that every token is read once.
    """
    parts = tuple(_even(counts, range(len(counts)), room))
    single = len(parts) == 1 and sum(counts) <= ONE_READING
    steps = []
    for number, part in enumerate(parts):
        cuts = [part] if single else _even(counts, part, STRETCH)
        steps += [Step(cut.start, cut.stop, number, sum(counts[cut.start : cut.stop])) for cut in cuts]
    return Plan(tuple(steps), parts)


def _even(counts: Sequence[int], within: range, most: int) -> list[range]:
    """Cut a range into the fewest runs of at most `most` tokens, about equally long; a larger piece stands alone."""
    fewest = len(_filled(counts, within, most))
    low, high = 1, most
    # The smallest limit that needs no more runs makes them as equal as the pieces allow.
    while low < high:
        middle = (low + high) // 2
        if len(_filled(counts, within, middle)) <= fewest:
            high = middle
        else:
            low = middle + 1
    return _filled(counts, within, low)


def _filled(counts: Sequence[int], within: range, most: int) -> list[range]:
    cuts, held = [within.start], 0
    for index in within:
        if held and held + counts[index] > most:
            cuts.append(index)
            held = 0
        held += counts[index]
    return [range(first, last) for first, last in pairwise([*cuts, within.stop]) if first < last]


def steps_done(plan: Plan, summarised: Sequence[int], *, finished: bool) -> int:
    """Return how many steps are behind: the section summaries that there are, or all once the document has its own."""
    return plan.total if finished else len({step for step in summarised if step < len(plan.steps)})


def fitting(summaries: Sequence[str], counts: Sequence[int], shorter: Sequence[str], room: int) -> list[str]:
    """Return section summaries that fit into `room` tokens together.

    All of them if they do; else their first sentences (`shorter`); else as many of those, evenly spread, as fit by the
    measure of the longest. What is left out here is still found by search.
    """
    if sum(counts) <= room:
        return list(summaries)
    # A first sentence has no more tokens than its summary; four bytes a token is a careful guess for the rest.
    longest = max(1, max(len(text.encode()) for text in shorter) // 3)
    keep = max(1, min(len(shorter), room // longest))
    return [shorter[index * len(shorter) // keep] for index in range(keep)]
