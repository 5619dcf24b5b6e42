"""Fetching from a hub over a real connection: cut transfers, rate limits, keys, mirrors and servers without Range."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from inference.fetch import Event, FetchError, Waiting, ensure_installed
from inference.fetch.https import WebSource, hub_source
from tests.inference.fetching import CONTENT, NOON, ORIGIN, FakeTime, entry_of
from tests.inference.hub import Cut, Hub, IgnoreRange, Mislabel, Refuse, serve_hub

ENTRY = entry_of()


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serve_hub(CONTENT) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        yield served


@pytest.fixture
def time() -> FakeTime:
    return FakeTime()


class Fetch:
    """Fetches into a folder in which `start` bytes have arrived before."""

    def __init__(self, folder: Path, time: FakeTime) -> None:
        self._folder = folder
        self._time = time

    def __call__(self, start: int = 0) -> tuple[bytes, list[Event]]:
        if start:
            (self._folder / "tiny.gguf.part").write_bytes(CONTENT[:start])
        events: list[Event] = []
        source = WebSource(hub_source(ORIGIN, ENTRY.file).address, lambda: self._time.now)
        path = ensure_installed(ENTRY, self._folder, events.append, [source], self._time.clock())
        return path.read_bytes(), [event for event in events if isinstance(event, Waiting)]


@pytest.fixture
def fetch(tmp_path: Path, time: FakeTime) -> Fetch:
    return Fetch(tmp_path, time)


def test_the_mirror_is_asked_for_the_file_at_its_revision(hub: Hub, fetch: Fetch) -> None:
    assert fetch()[0] == CONTENT
    assert hub.paths == ["/someone/some-model/resolve/abc123/tiny.gguf"]
    assert hub.authorizations == [None]


def test_the_key_goes_along(hub: Hub, fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    fetch()
    assert hub.authorizations == ["Bearer hf_secret"]


def test_the_key_goes_to_nobody_but_the_hub(hub: Hub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    monkeypatch.setenv("HF_ENDPOINT", "https://mirror.example")
    source = WebSource(f"{hub.endpoint}/tiny.gguf")
    ensure_installed(ENTRY, tmp_path, lambda _: None, [source])
    assert hub.authorizations == [None]


def test_only_the_missing_rest_is_asked_for(hub: Hub, fetch: Fetch) -> None:
    assert fetch(start=1234)[0] == CONTENT
    assert hub.ranges == ["bytes=1234-"]


def test_a_server_without_range_still_gives_the_missing_rest(hub: Hub, fetch: Fetch) -> None:
    hub.behaviours.append(IgnoreRange())
    assert fetch(start=1234)[0] == CONTENT


def test_a_cut_connection_is_taken_up_where_it_broke(hub: Hub, fetch: Fetch) -> None:
    hub.behaviours += [Cut(after=100_000), Cut(after=50_000)]
    assert fetch()[0] == CONTENT
    assert hub.ranges == [None, "bytes=100000-", "bytes=150000-"]


def test_a_rate_limit_is_told_with_the_time_when_it_goes_on(hub: Hub, fetch: Fetch, time: FakeTime) -> None:
    hub.behaviours.append(Refuse(429, {"Retry-After": "90"}))
    content, events = fetch()
    assert content == CONTENT
    assert events == [Waiting("rate-limited", NOON + timedelta(seconds=90))]
    assert time.slept == [90]


def test_a_rate_limit_may_name_a_date(hub: Hub, fetch: Fetch, time: FakeTime) -> None:
    hub.behaviours.append(Refuse(429, {"Retry-After": format_datetime(NOON + timedelta(minutes=2), usegmt=True)}))
    fetch()
    assert time.slept == [120]


@pytest.mark.parametrize("value", ["soon", "-5"])
def test_a_rate_limit_without_a_usable_time_is_waited_out_with_backoff(
    hub: Hub, fetch: Fetch, time: FakeTime, value: str
) -> None:
    hub.behaviours += [Refuse(429, {"Retry-After": value}), Refuse(429)]
    assert fetch()[0] == CONTENT
    assert time.slept == [1, 2]


def test_a_wait_of_many_hours_is_left_to_the_person(hub: Hub, fetch: Fetch, time: FakeTime) -> None:
    hub.behaviours.append(Refuse(429, {"Retry-After": "86400"}))
    with pytest.raises(FetchError, match="rate-limited"):
        fetch()
    assert time.slept == []


def test_a_server_in_trouble_is_tried_four_times_with_growing_pauses(hub: Hub, fetch: Fetch, time: FakeTime) -> None:
    hub.behaviours += [Refuse(502)] * 4
    with pytest.raises(FetchError, match="answers 502"):
        fetch()
    assert time.slept == [1, 2, 4]


def test_progress_in_between_makes_patience_new(hub: Hub, fetch: Fetch, time: FakeTime) -> None:
    hub.behaviours += [Refuse(502), Refuse(502), Cut(after=100_000), Refuse(502), Refuse(502)]
    assert fetch()[0] == CONTENT
    assert [slept for slept in time.slept if slept] == [1, 2, 1, 2, 4]


@pytest.mark.parametrize(("status", "cause"), [(401, "HF_TOKEN"), (403, "HF_TOKEN"), (404, "not there"), (418, "418")])
def test_a_refusal_is_final(hub: Hub, fetch: Fetch, status: int, cause: str) -> None:
    hub.behaviours.append(Refuse(status))
    with pytest.raises(FetchError, match=cause):
        fetch()
    assert len(hub.paths) == 1


@pytest.mark.parametrize("content_range", ["bytes 2000-9999/10000", "pages 1-2/3", "nonsense"])
def test_a_part_that_is_not_what_was_asked_for_is_refused(hub: Hub, fetch: Fetch, content_range: str) -> None:
    hub.behaviours.append(Mislabel(content_range))
    with pytest.raises(FetchError, match="Check the network and try again"):
        fetch(start=1234)


def test_a_file_of_another_size_is_refused_before_it_is_fetched(hub: Hub, fetch: Fetch, tmp_path: Path) -> None:
    hub.content = CONTENT * 2
    with pytest.raises(FetchError, match=r"another file at the source \(\d+ kB instead of \d+ kB\)"):
        fetch()
    assert not (tmp_path / "tiny.gguf.part").exists()


def test_a_body_in_another_coding_is_refused(hub: Hub, fetch: Fetch) -> None:
    hub.announced["Content-Encoding"] = "gzip"
    with pytest.raises(FetchError, match=r"in another form \(gzip\)"):
        fetch()


def test_no_server_at_all_is_said_plainly(fetch: Fetch, monkeypatch: pytest.MonkeyPatch) -> None:
    with serve_hub(b"") as gone:
        monkeypatch.setenv("HF_ENDPOINT", gone.endpoint)
    with pytest.raises(FetchError, match="cannot be reached"):
        fetch()
