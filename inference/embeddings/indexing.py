"""What the embeddings' page asks of those who keep vectors: how far they are, and to follow another choice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class Standing:
    """How the vectors of all documents stand.

    `serving` is the model by which searches are made (`dim` numbers, 0 and empty for none), `building` the one whose
    index is made beside it, empty for none. `done` of `total` passages have a vector by the one that is built, else by
    the one that serves.
    """

    serving: str = ""
    dim: int = 0
    building: str = ""
    done: int = 0
    total: int = 0

    @property
    def is_moving(self) -> bool:
        """Whether passages are still to get a vector."""
        return self.done < self.total or bool(self.building)


class Indexing(Protocol):
    """Who keeps the vectors."""

    def standing(self) -> Standing:
        """Return how they stand now."""

    def follow(self) -> None:
        """Begin, in the background, to do what the choice asks for, and nothing that it does not ask for any more."""


class _Nobody:
    """Where nobody keeps any."""

    def standing(self) -> Standing:
        """See `Indexing`."""
        return Standing()

    def follow(self) -> None:
        """See `Indexing`."""


_provided: Indexing = _Nobody()


def provide(indexing: Indexing) -> None:
    """Say who keeps the vectors; once, when the app that does is ready."""
    global _provided  # noqa: PLW0603 - set once at the start of the process
    _provided = indexing


def provided() -> Indexing:
    """Return who keeps the vectors."""
    return _provided


class Pace:
    """How fast passages get their vectors, by what was seen within the last minute."""

    def __init__(self, window_s: float = 60.0) -> None:
        self._window_s = window_s
        self._what = ""
        self._seen: list[tuple[float, int]] = []

    def seconds_left(self, what: str, done: int, total: int, now: float) -> float | None:
        """Return the seconds until all have one, None before there is a speed; `what` is built, `now` is monotonic."""
        if what != self._what or (self._seen and done < self._seen[-1][1]):
            self._what, self._seen = what, []
        self._seen = [(at, count) for at, count in self._seen if now - at <= self._window_s]
        self._seen.append((now, done))
        seconds, count = now - self._seen[0][0], done - self._seen[0][1]
        return (total - done) * seconds / count if seconds > 0 and count > 0 else None
