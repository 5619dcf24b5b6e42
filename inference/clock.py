"""Times of day as the clock of this machine shows them."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo
from functools import cache
from pathlib import Path
from zoneinfo import ZoneInfo

LOCAL_TIME = Path("/etc/localtime")


@cache
def local_zone() -> tzinfo:
    """Return the zone of this machine: Django has the process itself think that it is in `TIME_ZONE`."""
    try:
        with LOCAL_TIME.open("rb") as file:
            return ZoneInfo.from_file(file)
    except (OSError, ValueError):
        return UTC


def time_of_day(moment: datetime, now: datetime) -> str:
    """Return when a moment is: '14:32', 'tomorrow at 08:05', '4 March at 08:05'."""
    there, here = moment.astimezone(local_zone()), now.astimezone(local_zone())
    days = (there.date() - here.date()).days
    if days == 0:
        return f"{there:%H:%M}"
    return f"tomorrow at {there:%H:%M}" if days == 1 else f"{there.day} {there:%B} at {there:%H:%M}"
