"""Which of several documents are meant, by how likely a model says Yes of each.

A small model says Yes too gladly, to one question more than to another: what tells is not how likely a Yes is but how
much likelier it is of some documents than of the rest. So the chances are parted where the two sides differ most (the
threshold of Otsu, 1979), and where they hardly differ the documents stand or fall together.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

APART = 0.08
"""Between the means of the two sides: the difference that counts."""
LIKELY = 0.5
"""From here on documents that do not differ are all meant."""


def chosen(likely: Sequence[float]) -> list[int]:
    """Return the places of those that are meant, in their order.

    A chance of 0 was ruled out for a harder reason, by which those that are left are told already: they stand or fall
    together.
    """
    places = sorted((at for at, chance in enumerate(likely) if chance > 0), key=lambda at: -likely[at])
    if not places:
        return []
    ranked = [likely[at] for at in places]
    cut = max(range(1, len(ranked) + 1), key=lambda size: _spread(ranked, size))
    if len(ranked) == len(likely) and _apart(ranked, cut) >= APART:
        return sorted(places[:cut])
    return sorted(places) if fmean(ranked) >= LIKELY else []


def _spread(ranked: Sequence[float], size: int) -> float:
    """Return the variance between the first `size` and the others, 0 if there are no others."""
    return size * (len(ranked) - size) * _apart(ranked, size) ** 2


def _apart(ranked: Sequence[float], size: int) -> float:
    others = ranked[size:]
    return fmean(ranked[:size]) - fmean(others) if others else 0.0
