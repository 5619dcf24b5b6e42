"""What a source of model bytes must offer: transfers that go on from any offset."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from inference.fetch.meter import Meter


@dataclass(frozen=True)
class Held:
    """What of the file is there already: so many bytes, and the mark (`Facts.mark`) they must still go with.

    An empty mark means that the bytes are checked in the end, so that they may be continued from anywhere.
    """

    bytes: int = 0
    mark: str = ""


@dataclass(frozen=True)
class Delivery:
    """An open transfer: `blocks` are the file's bytes from offset `start` on.

    What the source said about the file: its size in bytes (0: nothing), a mark and a checksum (empty: none).
    """

    start: int
    blocks: Iterator[bytes]
    total: int = 0
    mark: str = ""
    sha256: str = ""


class Source(Protocol):
    """A place that delivers a file's bytes from any offset on, one transfer at a time."""

    name: str
    """Who delivers, as a person would say it."""
    address: str
    """Where from; marks of different addresses have nothing to do with each other."""
    extra_bytes: int
    """Disk space needed beside the file itself while fetching."""

    def deliver(self, held: Held, meter: Meter, /) -> AbstractContextManager[Delivery]:
        """Open a transfer of what is missing; it may begin earlier than asked, and never later.

        `meter` is for bytes on their way that cannot be yielded yet. Opening and reading raise SourceFailed,
        Interrupted, ComeLater and Changed.
        """
        ...
