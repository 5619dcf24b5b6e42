"""What a person reads while a model is fetched."""

from __future__ import annotations

import io
from datetime import datetime

import pytest

from inference.clock import local_zone
from inference.fetch import Checking, Event, Fetching, Note, Waiting
from inference.fetch.console import ConsoleReport, describe
from inference.fetch.meter import Meter
from inference.fetch.sizes import human_bytes, human_seconds


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


class Ticks:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.00 kB"),
        (98_362_432, "98.4 MB"),
        (99_960_000, "100 MB"),
        (999_600_000, "1.00 GB"),
        (1_117_320_768, "1.12 GB"),
        (5e15, "5000 TB"),
    ],
)
def test_sizes(count: float, text: str) -> None:
    assert human_bytes(count) == text


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (59.4, "59 s"), (59.6, "1 min 00 s"), (185, "3 min 05 s"), (7800, "2 h 10 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert human_seconds(seconds) == text


def test_figures_with_speed_and_time_left() -> None:
    event = Fetching(250_000_000, 1_000_000_000, 10_000_000.0, 75.0)
    assert describe(event) == "250 MB of 1.00 GB, 10.0 MB/s, 1 min 15 s left"


def test_the_bar_shows_the_share() -> None:
    text = describe(Fetching(25, 100), bar=True)
    assert text.startswith("[#######" + "." * 21 + "]  25 %")


def test_a_wait_names_its_reason_and_its_end() -> None:
    until = datetime(2026, 3, 1, 14, 32, tzinfo=local_zone())
    assert describe(Waiting("rate-limited", until)) == "rate-limited, goes on at 14:32:00"


def test_a_wait_without_an_end_names_its_reason() -> None:
    assert describe(Waiting("another process is fetching this model")) == "another process is fetching this model"


def test_on_a_terminal_one_line_is_overwritten_and_notes_stay() -> None:
    terminal = Terminal()
    report = ConsoleReport(terminal, "tiny")
    for event in (Checking(1, 2), Fetching(1, 2), Note("Trying the mirror."), Fetching(2, 2)):
        report(event)
    report.close()
    kept = [line.rpartition("\r\x1b[K")[2] for line in terminal.getvalue().strip().split("\n")]
    assert kept[1] == "tiny: Trying the mirror."
    assert kept[0].startswith("tiny: [####")
    assert "2 bytes of 2 bytes" in kept[2]
    assert len(kept) == 3


def test_in_a_log_there_is_a_line_every_ten_seconds_and_one_at_the_end() -> None:
    log, clock = io.StringIO(), Ticks()
    report = ConsoleReport(log, "tiny", clock)
    for second in range(25):
        clock.now = float(second)
        report(Fetching(second, 25))
    report(Fetching(25, 25))
    assert log.getvalue().splitlines() == [f"tiny: {done} bytes of 25 bytes" for done in (0, 10, 20, 25)]


def metered(*samples: tuple[float, int], total: int = 1000) -> list[Fetching]:
    events: list[Event] = []
    clock = Ticks()
    meter = Meter(total, events.append, clock)
    for clock.now, done in samples:
        meter.update(done)
    return [event for event in events if isinstance(event, Fetching)]


def test_speed_and_time_left_come_from_the_recent_past() -> None:
    last = metered((0, 0), (10, 100), (20, 300), (30, 600))[-1]
    assert last.speed == 30.0
    assert last.eta_s == pytest.approx(400 / 30)


def test_the_first_event_claims_no_speed() -> None:
    assert metered((0, 500)) == [Fetching(500, 1000)]


def test_events_are_few_but_the_last_one_is_always_sent() -> None:
    assert [event.done for event in metered((0, 0), (0.01, 10), (0.02, 1000))] == [0, 1000]


def test_beginning_anew_shows_no_negative_speed() -> None:
    assert metered((0, 0), (1, 900), (2, 0))[-1] == Fetching(0, 1000)
