"""Times of day on a page, by the clock of the machine and not by the one that Django sets."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from inference import clock

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def zone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine that says nothing about where it is."""
    monkeypatch.setattr(clock, "LOCAL_TIME", tmp_path / "none")
    clock.local_zone.cache_clear()


@pytest.mark.parametrize(
    ("ahead", "text"),
    [
        (timedelta(minutes=32), "12:32"),
        (timedelta(hours=20, minutes=5), "tomorrow at 08:05"),
        (timedelta(days=3), "4 March at 12:00"),
    ],
)
def test_today_needs_no_date(ahead: timedelta, text: str) -> None:
    assert clock.time_of_day(NOW + ahead, NOW) == text


def test_the_machines_own_zone_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    tokyo = Path("/usr/share/zoneinfo/Asia/Tokyo")
    if not tokyo.exists():
        pytest.skip("this machine has no list of zones")
    monkeypatch.setattr(clock, "LOCAL_TIME", tokyo)
    assert clock.time_of_day(NOW, NOW) == "21:00"
