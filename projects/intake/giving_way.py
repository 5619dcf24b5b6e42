"""Lets a long reading give way to the jobs behind it, so that one scan of hours does not hold up forty notes."""

from __future__ import annotations

import time

from projects.intake import kept
from study.queue import counts

TURN_S = 30.0
"""A reading goes on so long in one go while others wait; beginning again costs it a second or two."""
LOOK_EVERY_S = 2.0


class Turn:
    """One go at reading a document."""

    def __init__(self, document_id: int) -> None:
        self._document_id = document_id
        self._kept = kept.count(document_id)
        self._look_at = time.monotonic() + TURN_S

    def is_over(self) -> bool:
        """Tell whether the reading should go to the end of the line.

        Only if it got on in this turn by pages that are kept: what cannot be taken up again is read in one go.
        """
        if time.monotonic() < self._look_at:
            return False
        self._look_at = time.monotonic() + LOOK_EVERY_S
        return kept.count(self._document_id) > self._kept and _others_wait()


def _others_wait() -> bool:
    """Tell whether there are jobs besides this one; the queue counts those in its own hands as running."""
    jobs = counts()
    return jobs.waiting + jobs.running > 1
