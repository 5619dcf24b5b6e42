"""What a person finds on disk after a fetch that went well, was cut, or brought the wrong file."""

from __future__ import annotations

import errno
import os
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from filelock import FileLock

from inference.fetch import Checking, Event, FetchError, Fetching, Note, Waiting, ensure_installed, stamp
from tests.inference.fetching import CONTENT, FakeTime, ScriptedSource, entry_of

ENTRY = entry_of()


def ignore(event: Event) -> None:
    """A report for tests that do not look at progress."""


def install(folder: Path, *sources: ScriptedSource) -> list[Event]:
    events: list[Event] = []
    ensure_installed(ENTRY, folder, events.append, sources, FakeTime().clock())
    return events


def test_file_appears_under_its_name_with_nothing_left_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "models"
    path = ensure_installed(ENTRY, folder, ignore, [ScriptedSource()])
    assert path == folder / "tiny.gguf"
    assert path.read_bytes() == CONTENT
    assert not path.with_name("tiny.gguf.part").exists()


def test_progress_ends_at_the_whole_file_which_is_then_checked(tmp_path: Path) -> None:
    fetched, checked = install(tmp_path, ScriptedSource())[-2:]
    assert isinstance(fetched, Fetching)
    assert (fetched.done, fetched.total) == (len(CONTENT), len(CONTENT))
    assert checked == Checking(len(CONTENT), len(CONTENT))


def test_a_file_that_is_there_is_not_fetched_again(tmp_path: Path) -> None:
    install(tmp_path, ScriptedSource())
    again = ScriptedSource()
    assert install(tmp_path, again) == []
    assert again.starts == []


def test_a_file_put_there_by_hand_is_checked_once(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    first, second = install(tmp_path), install(tmp_path)
    assert isinstance(first[-1], Checking)
    assert second == []


def test_a_damaged_file_is_replaced_and_that_is_said(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf").write_bytes(CONTENT[:-1] + b"x")
    events = install(tmp_path, ScriptedSource())
    assert any(isinstance(event, Note) and "damaged" in event.text for event in events)
    assert (tmp_path / "tiny.gguf").read_bytes() == CONTENT


def test_the_next_source_goes_on_where_the_first_one_broke(tmp_path: Path) -> None:
    first, second = ScriptedSource(stops_at=5000), ScriptedSource(name="another source")
    events = install(tmp_path, first, second)
    assert second.starts == [5000]
    assert Note("a source: it broke. Trying another source.") in events
    assert (tmp_path / "tiny.gguf").read_bytes() == CONTENT


def test_a_later_run_goes_on_where_the_last_one_broke(tmp_path: Path) -> None:
    with pytest.raises(FetchError):
        install(tmp_path, ScriptedSource(stops_at=7000))
    later = ScriptedSource()
    install(tmp_path, later)
    assert later.starts == [7000]


def test_a_file_that_was_complete_but_not_yet_named_needs_no_source(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(CONTENT)
    source = ScriptedSource()
    install(tmp_path, source)
    assert source.starts == []
    assert (tmp_path / "tiny.gguf").read_bytes() == CONTENT


def test_wrong_bytes_never_get_the_name_and_are_deleted(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match=r"wrong checksum.*deleted"):
        install(tmp_path, ScriptedSource(content=b"x" * len(CONTENT)))
    assert not list(tmp_path.glob("tiny.gguf")) + list(tmp_path.glob("*.part"))


@pytest.mark.parametrize(
    ("content", "cause"),
    [(CONTENT[:-1], "the connection was cut"), (CONTENT + b"x", "sends more than the whole file")],
    ids=["short", "long"],
)
def test_a_file_of_the_wrong_length_is_refused(tmp_path: Path, content: bytes, cause: str) -> None:
    with pytest.raises(FetchError, match=cause):
        install(tmp_path, ScriptedSource(content=content))
    assert not (tmp_path / "tiny.gguf").exists()


def test_after_wrong_bytes_the_next_source_begins_anew(tmp_path: Path) -> None:
    good = ScriptedSource()
    install(tmp_path, ScriptedSource(content=b"x" * len(CONTENT)), good)
    assert good.starts == [0]


def test_a_damaged_beginning_is_not_blamed_on_the_source(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(b"x" * 3000)
    source = ScriptedSource()
    install(tmp_path, source)
    assert source.starts == [3000, 0]
    assert (tmp_path / "tiny.gguf").read_bytes() == CONTENT


def test_a_beginning_longer_than_the_file_is_dropped(tmp_path: Path) -> None:
    (tmp_path / "tiny.gguf.part").write_bytes(CONTENT * 2)
    source = ScriptedSource()
    install(tmp_path, source)
    assert source.starts == [0]


def test_when_all_sources_fail_the_one_sentence_has_each_cause(tmp_path: Path) -> None:
    with pytest.raises(FetchError) as caught:
        install(tmp_path, ScriptedSource(stops_at=0), ScriptedSource(stops_at=0, name="the mirror"))
    assert "a source: it broke; the mirror: it broke" in str(caught.value)
    assert str(tmp_path / "tiny.gguf") in str(caught.value)


def test_too_little_room_is_said_before_anything_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=64_000_000))
    source = ScriptedSource()
    with pytest.raises(FetchError, match=r"is full: 64\.\d MB are needed and 64\.0 MB are free.*READAHEAD_MODELS"):
        install(tmp_path, source)
    assert source.starts == []


class FillsTheDisk(ScriptedSource):
    """Stands in for the operating system's answer to the write."""

    def _blocks(self, start: int) -> Iterator[bytes]:
        yield b"GGUF"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_that_fills_up_meanwhile_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(FetchError, match="is full"):
        install(tmp_path, FillsTheDisk())


def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FetchError, match="cannot be used"):
        install(tmp_path / "file" / "models", ScriptedSource())


def test_a_second_process_waits_and_then_finds_the_file(tmp_path: Path) -> None:
    """The lock is held by somebody else until the waiting has been reported."""
    other = FileLock(tmp_path / "tiny.gguf.lock", thread_local=False)
    other.acquire()
    told = threading.Event()

    def report(event: Event) -> None:
        if isinstance(event, Waiting):
            told.set()

    source = ScriptedSource()
    second = threading.Thread(target=ensure_installed, args=(ENTRY, tmp_path, report, [source]))
    second.start()
    assert told.wait(10)
    (tmp_path / "tiny.gguf").write_bytes(CONTENT)
    other.release()
    second.join(10)
    assert not second.is_alive()
    assert source.starts == []


def test_a_changed_file_loses_its_remembered_checksum(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(b"one")
    first = stamp.checksum(path)
    path.write_bytes(b"three")
    assert stamp.remembered(path) is None
    assert stamp.checksum(path) != first
