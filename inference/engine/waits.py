"""How long requests waited for their turn, as the histogram that Prometheus makes percentiles of."""

from __future__ import annotations

from bisect import bisect_left

BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0)
"""Upper ends of the buckets: close together where a live question is to begin, within 50 ms of a study's reading."""


class Waits:
    """Counts waits by length. Written by one thread; a reader may see a wait in one line and not yet in another."""

    def __init__(self) -> None:
        self._counts = [0] * (len(BOUNDS_S) + 1)
        self._sum = 0.0

    def note(self, seconds: float) -> None:
        """Count one wait."""
        self._counts[bisect_left(BOUNDS_S, seconds)] += 1
        self._sum += seconds

    def metrics(self) -> dict[str, float]:
        """Return the buckets, each with all that waited no longer than its bound, the sum in seconds, and the count."""
        lines, so_far = {}, 0
        for bound, count in zip((*map(str, BOUNDS_S), "+Inf"), self._counts, strict=True):
            so_far += count
            lines[f'wait_seconds_bucket{{le="{bound}"}}'] = float(so_far)
        return {**lines, "wait_seconds_sum": self._sum, "wait_seconds_count": float(so_far)}
