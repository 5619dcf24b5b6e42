"""How long the rest of a prompt will take, by the speed at which it has been read so far."""

from __future__ import annotations


class ReadingSpeed:
    """Measures one prefill.

    The first report is the base line: tokens that were remembered from before cost nothing and say nothing about speed.
    Tokens are counted batch by batch, so the speed is that at the last count; between two counts the time just runs.
    """

    def __init__(self) -> None:
        self._base: tuple[int, float] | None = None
        self._last: tuple[int, float] = (0, 0.0)

    def seconds_left(self, read: int, total: int, now: float) -> float | None:
        """Return the seconds until `total` tokens are read, None before there is a speed; `now` is monotonic."""
        if self._base is None:
            self._base = self._last = (read, now)
            return None
        if read != self._last[0]:
            self._last = (read, now)
        tokens, seconds = self._last[0] - self._base[0], self._last[1] - self._base[1]
        if tokens <= 0 or seconds <= 0:
            return None
        return max(0.0, (total - read) * seconds / tokens - (now - self._last[1]))
