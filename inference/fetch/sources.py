"""What a source of model bytes must offer, and which source serves which origin of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from inference.catalogue import HubFile, ModelEntry, WheelParts
from inference.fetch.https import HubSource
from inference.fetch.meter import Meter
from inference.fetch.wheels import WheelSource


class Source(Protocol):
    """A place that delivers a file's bytes from any offset on.

    All sources of a file deliver the same bytes, so one may continue what another began.
    """

    name: str
    """Who delivers, as a person would say it."""
    extra_bytes: int
    """Disk space needed beside the file itself while fetching."""

    def read(self, start: int, meter: Meter) -> Iterator[bytes]:
        """Yield the bytes from offset `start` to the end.

        What is yielded is counted by the caller; `meter` is for bytes on their way that cannot be yielded yet, and for
        saying why nothing moves. Raises SourceFailed.
        """
        ...


def sources_of(entry: ModelEntry, models_dir: Path) -> list[Source]:
    """Return a source for each origin of the entry, in the order in which to try them."""
    sources: list[Source] = []
    for origin in entry.origins:
        match origin:
            case WheelParts():
                sources.append(WheelSource(origin, models_dir))
            case HubFile():
                sources.append(HubSource(origin, entry.file))
    return sources
