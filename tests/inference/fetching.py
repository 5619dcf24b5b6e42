"""Small model entries, sources and clocks for the tests of fetching."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from inference.catalogue import HubFile, ModelEntry
from inference.fetch.delivery import Delivery, Held
from inference.fetch.ensure import Clock
from inference.fetch.errors import SourceFailed
from inference.fetch.meter import Meter

CONTENT = b"GGUF" + bytes(range(256)) * 1200
NOON = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
ORIGIN = HubFile("someone/some-model", "abc123")


def entry_of(content: bytes = CONTENT) -> ModelEntry:
    """Return a catalogue entry whose checksum is that of `content`."""
    return ModelEntry(
        id="tiny",
        file="tiny.gguf",
        bytes=len(content),
        sha256=hashlib.sha256(content).hexdigest(),
        license="MIT",
        context_length=512,
        origins=(ORIGIN,),
    )


@dataclass
class FakeTime:
    """A clock that moves only when someone sleeps."""

    now: datetime = NOON
    slept: list[float] = field(default_factory=list)

    def clock(self) -> Clock:
        return Clock(now=lambda: self.now, sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += timedelta(seconds=seconds)


@dataclass
class ScriptedSource:
    """Delivers `content`, up to `stops_at` bytes of it and then a failure; remembers from where it was read."""

    content: bytes = CONTENT
    stops_at: int | None = None
    name: str = "a source"
    address: str = "somewhere"
    extra_bytes: int = 0
    starts: list[int] = field(default_factory=list)

    @contextmanager
    def deliver(self, held: Held, _meter: Meter, /) -> Iterator[Delivery]:
        self.starts.append(held.bytes)
        yield Delivery(held.bytes, self._blocks(held.bytes))

    def _blocks(self, start: int) -> Iterator[bytes]:
        end = len(self.content) if self.stops_at is None else self.stops_at
        for position in range(start, end, 1000):
            yield self.content[position : min(position + 1000, end)]
        if self.stops_at is not None:
            raise SourceFailed("it broke")
