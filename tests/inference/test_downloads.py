"""Downloads in the background: what a person asks for is fetched, waits, is cancelled, and survives what dies."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from filelock import FileLock

from inference import catalogue, installed
from inference.catalogue import ModelEntry
from inference.downloads import service, worker
from inference.downloads.worker import Cancelled, RowReport, claim, release, work_once
from inference.errors import ModelFailed
from inference.fetch.events import Checking, Fetching
from inference.identity import own_identity
from inference.models import Download, ModelChoice
from tests.inference.fetching import CONTENT, entry_of
from tests.inference.gguf_files import write_gguf
from tests.inference.hub import Cut, Hub, Refuse, serve_hub

pytestmark = pytest.mark.django_db

ME = own_identity()
DEAD = "1:1"
State = Download.State


@pytest.fixture(autouse=True)
def models_dir(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    settings.MODELS_DIR = folder
    for name in ("READAHEAD_MODEL", "HF_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    return folder


@pytest.fixture
def entry(monkeypatch: pytest.MonkeyPatch) -> ModelEntry:
    """A model that is in the catalogue beside the others."""
    made = entry_of()
    for module in (catalogue, installed):
        monkeypatch.setattr(module, "CATALOGUE", (*catalogue.CATALOGUE, made))
    return made


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    with serve_hub(CONTENT) as served:
        monkeypatch.setenv("HF_ENDPOINT", served.endpoint)
        yield served


def whole(tmp_path: Path) -> bytes:
    """Return the bytes of a model that llama.cpp takes."""
    return write_gguf(tmp_path / "whole.gguf").read_bytes()


def work() -> Download:
    """Work until nothing is due any more; return the one row."""
    while work_once(ME):
        pass
    return Download.objects.get()


def let_time_pass() -> None:
    Download.objects.update(until=timezone.now())


def test_a_model_of_the_catalogue_arrives(entry: ModelEntry, hub: Hub, models_dir: Path) -> None:
    service.fetch("tiny")
    row = work()
    assert (row.state, row.bytes_done, row.bytes_total, row.error) == (State.DONE, len(CONTENT), len(CONTENT), "")
    assert (models_dir / "tiny.gguf").read_bytes() == CONTENT


def test_asking_twice_is_one_download(entry: ModelEntry) -> None:
    assert service.fetch("tiny").pk == service.fetch("tiny").pk


def test_what_is_there_is_not_fetched(entry: ModelEntry, hub: Hub, models_dir: Path) -> None:
    (models_dir / "tiny.gguf").write_bytes(CONTENT)
    with pytest.raises(ModelFailed, match="installed already"):
        service.fetch("tiny")


def test_a_rate_limit_is_a_state_with_the_time_it_goes_on(entry: ModelEntry, hub: Hub) -> None:
    hub.behaviours.append(Refuse(429, {"Retry-After": "600"}))
    service.fetch("tiny")
    row = work()
    assert (row.state, row.note) == (State.LIMITED, "rate-limited")
    assert row.until is not None
    assert 590 < (row.until - timezone.now()).total_seconds() <= 600
    assert not work_once(ME), "nobody asks before that"
    let_time_pass()
    assert work().state == State.DONE


def test_a_cut_transfer_goes_on_where_it_broke(entry: ModelEntry, hub: Hub) -> None:
    hub.behaviours.append(Cut(after=100_000))
    service.fetch("tiny")
    row = work()
    assert (row.state, row.note, row.bytes_done) == (State.WAITING, "the connection was cut", 100_000)
    let_time_pass()
    assert work().state == State.DONE
    assert hub.ranges == [None, "bytes=100000-"]


def test_without_a_network_it_is_tried_for_hours_and_then_says_so(
    entry: ModelEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serve_hub(b"") as gone:
        monkeypatch.setenv("HF_ENDPOINT", gone.endpoint)
    service.fetch("tiny")
    waited = timedelta()
    while (row := work()).state == State.WAITING:
        assert row.until is not None
        waited += row.until - timezone.now()
        let_time_pass()
    assert row.state == State.FAILED
    assert "the server cannot be reached" in row.error
    assert timedelta(hours=2) < waited < timedelta(hours=6)


def test_a_wrong_file_fails_with_the_reason_and_can_be_tried_again(entry: ModelEntry, hub: Hub) -> None:
    hub.content = CONTENT[:-1] + b"x"
    row = service.fetch("tiny")
    assert "wrong checksum" in work().error
    hub.content = CONTENT
    assert service.retry(row.pk)
    row = work()
    assert (row.state, row.error) == (State.DONE, "")


def test_a_full_disk_fails_at_once(entry: ModelEntry, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("inference.fetch.attempt.SPARE_BYTES", 1 << 62)
    service.fetch("tiny")
    row = work()
    assert row.state == State.FAILED
    assert "READAHEAD_MODELS" in row.error
    assert hub.paths == []


def test_cancelling_keeps_what_has_arrived(entry: ModelEntry, hub: Hub, models_dir: Path) -> None:
    hub.behaviours.append(Cut(after=100_000))
    row = service.fetch("tiny")
    work()
    assert service.cancel(row.pk)
    let_time_pass()
    assert work().state == State.CANCELLED
    assert (models_dir / "tiny.gguf.part").stat().st_size == 100_000
    assert service.retry(row.pk)
    assert work().state == State.DONE
    assert hub.ranges[-1] == "bytes=100000-"


def test_a_cancelled_worker_notices_and_stores_nothing(entry: ModelEntry) -> None:
    row = service.fetch("tiny")
    mine = claim(ME)
    assert mine is not None
    report = RowReport(mine)
    report(Fetching(1, 10))
    service.cancel(row.pk)
    with pytest.raises(Cancelled):
        report(Checking(10, 10))
    row.refresh_from_db()
    assert (row.state, row.bytes_done) == (State.CANCELLED, 1)


def test_one_that_was_cancelled_and_put_in_line_again_is_not_the_old_workers(entry: ModelEntry) -> None:
    row = service.fetch("tiny")
    mine = claim(ME)
    assert mine is not None
    service.cancel(row.pk)
    service.retry(row.pk)
    with pytest.raises(Cancelled):
        RowReport(mine)(Fetching(1, 10))


def test_of_a_fast_series_of_events_one_in_a_second_is_stored(entry: ModelEntry) -> None:
    service.fetch("tiny")
    mine = claim(ME)
    assert mine is not None
    now = 0.0
    report = RowReport(mine, lambda: now)
    stored = []
    for done in range(30):
        now = done / 10
        report(Fetching(done, 30))
        mine.refresh_from_db()
        stored.append(mine.bytes_done)
    assert sorted(set(stored)) == [0, 10, 20]


@pytest.mark.parametrize("holder", [DEAD, ME], ids=["dead", "this one, begun anew"])
def test_what_a_killed_worker_left_is_taken_up(entry: ModelEntry, hub: Hub, holder: str) -> None:
    service.fetch("tiny")
    Download.objects.update(state=State.FETCHING, worker=holder)
    assert work().state == State.DONE


def test_what_another_living_worker_has_in_hand_stays_with_it(entry: ModelEntry) -> None:
    service.fetch("tiny")
    claim(ME)
    assert release("another") == 0
    assert claim("another") is None


def test_while_another_process_fetches_the_file_it_waits(entry: ModelEntry, hub: Hub, models_dir: Path) -> None:
    with FileLock(models_dir / "tiny.gguf.lock"):
        service.fetch("tiny")
        row = work()
    assert (row.state, row.note) == (State.WAITING, "another process is fetching this model")
    (models_dir / "tiny.gguf").write_bytes(CONTENT)
    let_time_pass()
    assert work().state == State.DONE
    assert hub.paths == []


def test_an_unexpected_failure_is_that_downloads_alone(entry: ModelEntry, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(worker, "advance", fail)
    service.fetch("tiny")
    row = work()
    assert row.state == State.FAILED
    assert "fetcher.log" in row.error


def test_a_file_by_its_address(hub: Hub, tmp_path: Path, models_dir: Path) -> None:
    hub.content, hub.tagged = whole(tmp_path), True
    hub.behaviours.append(Cut(after=50_000))
    service.import_address(f"{hub.endpoint}/some/where/my%20own.gguf?download=true")
    work()
    let_time_pass()
    row = work()
    assert (row.state, row.error) == (State.DONE, "")
    assert (models_dir / "my own.gguf").read_bytes() == hub.content


def test_the_page_of_a_file_in_the_hub_is_taken_for_the_file(hub: Hub, tmp_path: Path) -> None:
    hub.content = whole(tmp_path)
    service.import_address(f"{hub.endpoint}/someone/models/blob/main/own.gguf")
    assert work().state == State.DONE
    assert hub.paths == ["/someone/models/resolve/main/own.gguf"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"<!doctype html>" + b" " * 70_000, "is not a GGUF file"),
        (b"GGUF\3\0\0\0" + b"\xff" * 70_000, "is damaged"),
    ],
    ids=["a page", "damaged"],
)
def test_what_is_no_model_is_refused_and_leaves_nothing(
    hub: Hub, models_dir: Path, content: bytes, reason: str
) -> None:
    hub.content = content
    service.import_address(f"{hub.endpoint}/own.gguf")
    row = work()
    assert row.state == State.FAILED
    assert f"own.gguf {reason}" in row.error
    assert row.bytes_done == 0
    assert [path.name for path in models_dir.iterdir()] == ["own.gguf.lock"]


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        ({"architecture": "brandnew"}, "has the architecture 'brandnew'"),
        ({"llama__pooling_type": 1}, "is a model for embeddings"),
        ({"template": False}, "has no chat template"),
    ],
    ids=["unknown", "for embeddings", "without a template"],
)
def test_a_model_that_cannot_chat_is_refused_with_the_reason(
    hub: Hub, tmp_path: Path, models_dir: Path, made: dict[str, Any], reason: str
) -> None:
    hub.content = write_gguf(tmp_path / "other.gguf", **made).read_bytes()
    service.import_address(f"{hub.endpoint}/own.gguf")
    row = work()
    assert f"own.gguf {reason}" in row.error
    assert not (models_dir / "own.gguf").exists()


def test_a_checksum_that_a_person_gives_must_be_that_of_the_file(hub: Hub, tmp_path: Path, models_dir: Path) -> None:
    hub.content = whole(tmp_path)
    service.import_address(f"{hub.endpoint}/own.gguf", "ab" * 32)
    assert "wrong checksum" in work().error
    assert not (models_dir / "own.gguf").exists()


@pytest.mark.parametrize(
    ("address", "reason"),
    [
        ("file:///etc/passwd.gguf", "begins with https"),
        ("my model", "begins with https"),
        ("https://", "begins with https"),
        ("https://x.example:99999/a.gguf", "not an address"),
        ("https://me:secret@x.example/a.gguf", "Leave name and password out"),
        ("https://x.example/a.zip", "name of a .gguf file"),
        ("https://x.example/..%2F..%2Fa.gguf", "name of a .gguf file"),
        ("https://x.example/.hidden.gguf", "name of a .gguf file"),
        ("https://x.example/" + "a" * 300 + ".gguf", "name of a .gguf file"),
    ],
)
def test_an_address_that_cannot_be_fetched_is_refused_at_once(address: str, reason: str) -> None:
    with pytest.raises(ModelFailed, match=reason):
        service.import_address(address)
    assert not Download.objects.exists()


def test_a_name_that_is_taken_is_refused(models_dir: Path) -> None:
    (models_dir / "own.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelFailed, match=r"is called own\.gguf already"):
        service.import_address("https://x.example/own.gguf")


def test_a_file_called_like_one_of_the_catalogue_must_be_that_one(entry: ModelEntry, hub: Hub) -> None:
    service.import_address(f"{hub.endpoint}/tiny.gguf")
    hub.content = CONTENT[:-1] + b"x"
    assert "wrong checksum" in work().error


def test_a_file_of_this_machine(tmp_path: Path, models_dir: Path) -> None:
    own = write_gguf(tmp_path / "own.gguf")
    service.import_path(str(own))
    row = work()
    assert (row.state, row.error, row.bytes_done) == (State.DONE, "", own.stat().st_size)
    assert (models_dir / "own.gguf").read_bytes() == own.read_bytes()


def test_a_truncated_file_of_this_machine_is_refused_with_the_reason(tmp_path: Path) -> None:
    own = write_gguf(tmp_path / "own.gguf")
    own.write_bytes(own.read_bytes()[:-100])
    service.import_path(str(own))
    assert "own.gguf is incomplete" in work().error


@pytest.mark.parametrize(
    ("path", "reason"),
    [("own.gguf", "whole path"), ("/nowhere/own.gguf", "no file"), ("/etc/passwd", "ends in .gguf")],
)
def test_a_path_that_is_no_model_is_refused_at_once(path: str, reason: str) -> None:
    with pytest.raises(ModelFailed, match=reason):
        service.import_path(path)


def test_a_folder_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "folder.gguf").mkdir()
    with pytest.raises(ModelFailed, match="no file"):
        service.import_path(str(tmp_path / "folder.gguf"))


def test_dropping_deletes_what_has_arrived(entry: ModelEntry, hub: Hub, models_dir: Path) -> None:
    hub.behaviours.append(Cut(after=100_000))
    row = service.fetch("tiny")
    work()
    assert not service.drop(row.pk), "not while it is on its way"
    service.cancel(row.pk)
    assert service.drop(row.pk)
    assert [path.name for path in models_dir.iterdir()] == ["tiny.gguf.lock"]
    assert not Download.objects.exists()


def test_dropping_a_refused_import_leaves_the_model_of_that_name(tmp_path: Path, models_dir: Path) -> None:
    row = service.import_path(str(write_gguf(tmp_path / "own.gguf")))
    (models_dir / "own.gguf").write_bytes(b"GGUF another")
    assert "already" in work().error
    assert service.drop(row.pk)
    assert (models_dir / "own.gguf").read_bytes() == b"GGUF another"


def test_deleting_takes_the_file_and_what_is_kept_beside_it(entry: ModelEntry, hub: Hub, models_dir: Path) -> None:
    service.fetch("tiny")
    work()
    assert service.remove("tiny", served="another").state == "available"
    assert [path.name for path in models_dir.iterdir()] == ["tiny.gguf.lock"]
    service.fetch("tiny")
    assert work().state == State.DONE


@pytest.mark.parametrize("use", ["chosen", "served"])
def test_a_model_in_use_is_not_deleted(entry: ModelEntry, models_dir: Path, use: str) -> None:
    (models_dir / "tiny.gguf").write_bytes(CONTENT)
    if use == "chosen":
        ModelChoice.choose("tiny")
    with pytest.raises(ModelFailed, match="in use"):
        service.remove("tiny", served="tiny" if use == "served" else "")
    assert (models_dir / "tiny.gguf").exists()


def test_a_model_on_its_way_is_not_deleted(entry: ModelEntry) -> None:
    service.fetch("tiny")
    with pytest.raises(ModelFailed, match="Cancel that first"):
        service.remove("tiny", served="")
