"""The few statistics that the figures are made with."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import combinations
from statistics import median

MOST_PAIRS = 20_000
"""Pairs of points that a slope looks at; above that a sample of them, drawn the same way every time."""


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest value that `share` (0…1) of all values do not exceed (nearest rank). Raises ValueError."""
    if not values:
        raise ValueError("there is no percentile of nothing")
    rank = math.ceil(share * len(values))
    return sorted(values)[max(rank, 1) - 1]


def paired_ratio(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """Return the median of ours/theirs over repetitions that ran one right after the other.

    A machine that slows down for a while slows both of a pair, so a ratio of pairs says more than a ratio of medians.
    """
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the median slope of all pairs of (x, y) points (Theil and Sen), 0 with fewer than two different x.

    A single peak, such as a state on its way to disk, does not move it.
    """
    pairs = [(a, b) for a, b in combinations(points, 2) if a[0] != b[0]]
    if len(pairs) > MOST_PAIRS:
        pairs = random.Random(0).sample(pairs, MOST_PAIRS)
    return median((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairs) if pairs else 0.0
