"""Fetching from a hub over a real connection: cut transfers, rate limits, keys, mirrors and servers without Range."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime

import pytest

from inference.fetch.errors import SourceFailed
from inference.fetch.events import Event, Waiting
from inference.fetch.https import HubSource
from inference.fetch.meter import Meter
from tests.inference.fetching import CONTENT, NOON, ORIGIN, FakeTime
from tests.inference.hub import Cut, Hub, IgnoreRange, Mislabel, Refuse, serve_hub


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serve_hub(CONTENT) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield served


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


def fetch(time: FakeTime, start: int = 0) -> tuple[bytes, list[Event]]:
    events: list[Event] = []
    source = HubSource(ORIGIN, "tiny.gguf", time.clock())
    return b"".join(source.read(start, Meter(len(CONTENT), events.append))), events


def test_the_mirror_is_asked_for_the_file_at_its_revision(hub: Hub, time: FakeTime) -> None:
    assert fetch(time)[0] == CONTENT
    assert hub.paths == ["/someone/some-model/resolve/abc123/tiny.gguf"]
    assert hub.authorizations == [None]


def test_the_key_goes_along(hub: Hub, time: FakeTime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    fetch(time)
    assert hub.authorizations == ["Bearer hf_secret"]


def test_only_the_missing_rest_is_asked_for(hub: Hub, time: FakeTime) -> None:
    assert fetch(time, start=1234)[0] == CONTENT[1234:]
    assert hub.ranges == ["bytes=1234-"]


def test_a_server_without_range_still_gives_the_missing_rest(hub: Hub, time: FakeTime) -> None:
    hub.behaviours.append(IgnoreRange())
    assert fetch(time, start=1234)[0] == CONTENT[1234:]


def test_a_cut_connection_is_taken_up_where_it_broke(hub: Hub, time: FakeTime) -> None:
    hub.behaviours += [Cut(after=100_000), Cut(after=50_000)]
    assert fetch(time)[0] == CONTENT
    assert hub.ranges == [None, "bytes=100000-", "bytes=150000-"]


def test_a_rate_limit_is_told_with_the_time_when_it_goes_on(hub: Hub, time: FakeTime) -> None:
    hub.behaviours.append(Refuse(429, {"Retry-After": "90"}))
    content, events = fetch(time)
    assert content == CONTENT
    assert events == [Waiting("rate-limited", NOON + timedelta(seconds=90))]
    assert time.slept == [90]


def test_a_rate_limit_may_name_a_date(hub: Hub, time: FakeTime) -> None:
    hub.behaviours.append(Refuse(429, {"Retry-After": format_datetime(NOON + timedelta(minutes=2), usegmt=True)}))
    fetch(time)
    assert time.slept == [120]


@pytest.mark.parametrize("value", ["soon", "-5"])
def test_a_rate_limit_without_a_usable_time_is_waited_out_with_backoff(hub: Hub, time: FakeTime, value: str) -> None:
    hub.behaviours += [Refuse(429, {"Retry-After": value}), Refuse(429)]
    assert fetch(time)[0] == CONTENT
    assert time.slept == [1, 2]


def test_a_wait_of_many_hours_is_left_to_the_person(hub: Hub, time: FakeTime) -> None:
    hub.behaviours.append(Refuse(429, {"Retry-After": "86400"}))
    with pytest.raises(SourceFailed, match="rate-limited"):
        fetch(time)
    assert time.slept == []


def test_a_server_in_trouble_is_tried_four_times_with_growing_pauses(hub: Hub, time: FakeTime) -> None:
    hub.behaviours += [Refuse(502)] * 4
    with pytest.raises(SourceFailed, match="answers 502"):
        fetch(time)
    assert time.slept == [1, 2, 4]


def test_progress_in_between_makes_patience_new(hub: Hub, time: FakeTime) -> None:
    hub.behaviours += [Refuse(502), Refuse(502), Cut(after=100_000), Refuse(502), Refuse(502)]
    assert fetch(time)[0] == CONTENT
    assert time.slept == [1, 2, 1, 2, 4]


@pytest.mark.parametrize(("status", "cause"), [(401, "HF_TOKEN"), (403, "HF_TOKEN"), (404, "not there"), (410, "410")])
def test_a_refusal_is_final(hub: Hub, time: FakeTime, status: int, cause: str) -> None:
    hub.behaviours.append(Refuse(status))
    with pytest.raises(SourceFailed, match=cause):
        fetch(time)
    assert len(hub.paths) == 1


@pytest.mark.parametrize("content_range", ["bytes 2000-9999/10000", "pages 1-2/3", "nonsense"])
def test_a_part_that_is_not_what_was_asked_for_is_refused(hub: Hub, time: FakeTime, content_range: str) -> None:
    hub.behaviours.append(Mislabel(content_range))
    with pytest.raises(SourceFailed):
        fetch(time, start=1234)


def test_no_server_at_all_is_said_plainly(time: FakeTime, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_hub(b"") as gone:
        monkeypatch.setenv("HF_ENDPOINT", gone.endpoint)
    with pytest.raises(SourceFailed, match="cannot be reached"):
        fetch(time)
