"""How long the rest of a prompt will take, by the speed at which it has been read so far."""

from __future__ import annotations


class ReadingSpeed:
    """Measures one prefill.

    The first report is the base line: tokens that were remembered from before cost nothing and say nothing about speed.
    """

    def __init__(self) -> None:
        self._base: tuple[int, float] | None = None

    def seconds_left(self, read: int, total: int, now: float) -> float | None:
        """Return the seconds until `total` tokens are read, None before there is a speed; `now` is monotonic."""
        if self._base is None:
            self._base = (read, now)
            return None
        tokens, seconds = read - self._base[0], now - self._base[1]
        if tokens <= 0 or seconds <= 0:
            return None
        return (total - read) * seconds / tokens
