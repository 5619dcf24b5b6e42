"""From tokens to text as it streams: whole characters only, and nothing beyond a stop string."""

from __future__ import annotations

import codecs
from collections.abc import Sequence


class TextStream:
    """Turns token bytes into text pieces for one answer.

    Text that could be the beginning of a stop string is held back until it is certain that it is not.
    """

    def __init__(self, stop: Sequence[str] = ()) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._stop = tuple(stop)
        self._held = ""
        self.stopped = False
        """A stop string has come; nothing follows any more."""

    def feed(self, data: bytes) -> str:
        """Take the bytes of a token; return the text that is certain by now."""
        return self._release(self._decoder.decode(data))

    def close(self) -> str:
        """Return what was held back when the generation ended for another reason."""
        if self.stopped:
            return ""
        rest = self._release(self._decoder.decode(b"", final=True))
        rest, self._held = rest + self._held, ""
        return rest

    def _release(self, text: str) -> str:
        if self.stopped:
            return ""
        self._held += text
        found = [at for at in (self._held.find(stop) for stop in self._stop) if at >= 0]
        if found:
            self.stopped = True
            text, self._held = self._held[: min(found)], ""
            return text
        keep = max((_overlap(self._held, stop) for stop in self._stop), default=0)
        cut = len(self._held) - keep
        text, self._held = self._held[:cut], self._held[cut:]
        return text


def _overlap(text: str, stop: str) -> int:
    """Return the length of the longest end of `text` that begins `stop`."""
    return next((size for size in range(min(len(text), len(stop) - 1), 0, -1) if text.endswith(stop[:size])), 0)
