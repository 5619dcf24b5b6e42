"""Servers on a bad day, with fifty things going wrong in a row: the file is right in the end, or it is not there."""

from __future__ import annotations

import base64
import hashlib
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from inference.fetch.attempt import Wanted
from inference.fetch.https import WebSource
from inference.fetch.jobs import Job, advance
from inference.fetch.policy import IN_THE_BACKGROUND, Ask, GiveUp, Step, start
from tests.inference.fetching import entry_of
from tests.inference.hub import Behaviour, Corrupt, Cut, Deaf, Hub, IgnoreRange, Refuse, Replace, serve_hub

INTERRUPTIONS = 50
SIZE = 400_000
MOMENT = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def content_of(seed: int) -> bytes:
    return b"GGUF" + random.Random(seed).randbytes(SIZE - 4)


@pytest.fixture
def hub() -> Iterator[Hub]:
    with serve_hub(content_of(0)) as served:
        yield served


def bad_day(seed: int, *rare: Behaviour) -> list[Behaviour]:
    """Return fifty things that go wrong, with the rare ones spread among them."""
    chance = random.Random(seed)
    usual: list[Behaviour] = []
    for _ in range(INTERRUPTIONS - len(rare)):
        few = chance.randrange(SIZE // 20)
        kinds: list[Behaviour] = [
            Cut(few),
            Cut(few),
            Cut(few),
            Refuse(429, {"Retry-After": str(chance.randrange(100))}),
            Refuse(503),
            IgnoreRange(chance.randrange(SIZE)),
        ]
        usual.append(chance.choice(kinds))
    for behaviour in rare:
        usual.insert(chance.randrange(len(usual)), behaviour)
    return usual


def run(job: Job) -> Step:
    """Fetch without ever waiting; return the last step."""
    position = start(1)
    while True:
        step = advance(job, position, lambda _: None, IN_THE_BACKGROUND)
        if not isinstance(step, Ask):
            return step
        position = step.position


def job_for(hub: Hub, folder: Path, wanted: Wanted) -> Job:
    return Job("tiny", folder / "tiny.gguf", wanted, [WebSource(f"{hub.endpoint}/tiny.gguf", lambda: MOMENT)])


@pytest.mark.parametrize("seed", range(3))
def test_a_file_of_the_catalogue_comes_through_cuts_limits_and_wrong_bytes(hub: Hub, tmp_path: Path, seed: int) -> None:
    entry = entry_of(hub.content)
    hub.behaviours.extend(bad_day(seed, Corrupt(after=SIZE // 30), Corrupt(after=SIZE // 50)))
    run(job_for(hub, tmp_path, Wanted(entry.bytes, entry.sha256)))
    assert (tmp_path / "tiny.gguf").read_bytes() == hub.content
    assert len(hub.behaviours) == 0


@pytest.mark.parametrize("says", ["tagged", "hashed"])
@pytest.mark.parametrize("seed", range(3))
def test_a_file_that_nobody_knows_is_one_that_the_server_had_and_no_mixture(
    hub: Hub, tmp_path: Path, seed: int, says: str
) -> None:
    setattr(hub, says, True)
    usual: list[Behaviour] = [each for each in bad_day(seed) if not isinstance(each, IgnoreRange)]
    changes: list[Behaviour] = [
        Replace(content_of(1), after=SIZE // 40),
        Deaf(content_of(2)),
        Replace(content_of(3), after=SIZE // 40),
    ]
    for number, change in enumerate(changes, start=1):
        usual.insert(number * len(usual) // 4, change)
    hub.behaviours.extend(usual)
    run(job_for(hub, tmp_path, Wanted()))
    assert (tmp_path / "tiny.gguf").read_bytes() == content_of(3)
    assert len(hub.behaviours) == 0


def test_without_a_mark_nothing_is_continued_and_such_a_server_is_given_up(hub: Hub, tmp_path: Path) -> None:
    hub.behaviours.extend([Cut(SIZE // 2)] * 20)
    assert isinstance(run(job_for(hub, tmp_path, Wanted())), GiveUp)
    assert set(hub.ranges) == {None}
    assert not (tmp_path / "tiny.gguf").exists()


def test_without_a_mark_a_whole_transfer_counts(hub: Hub, tmp_path: Path) -> None:
    hub.behaviours.extend([Cut(SIZE // 2), Cut(SIZE // 3)])
    run(job_for(hub, tmp_path, Wanted()))
    assert (tmp_path / "tiny.gguf").read_bytes() == hub.content


def test_a_server_that_sends_wrong_bytes_only_is_never_believed(hub: Hub, tmp_path: Path) -> None:
    entry = entry_of(hub.content)
    hub.behaviours.extend([Corrupt()] * 20)
    step = run(job_for(hub, tmp_path, Wanted(entry.bytes, entry.sha256)))
    assert isinstance(step, GiveUp)
    assert "wrong checksum" in dict(step.causes)[0]
    assert [path.name for path in tmp_path.iterdir()] == []


def test_a_file_that_does_not_have_the_announced_checksum_is_refused(hub: Hub, tmp_path: Path) -> None:
    hub.announced["X-Linked-ETag"] = f'"{"0" * 64}"'
    step = run(job_for(hub, tmp_path, Wanted()))
    assert isinstance(step, GiveUp)
    assert "that the server announces" in dict(step.causes)[0]


def test_the_condition_goes_along_when_only_a_mark_tells(hub: Hub, tmp_path: Path) -> None:
    hub.tagged = True
    hub.behaviours.append(Cut(SIZE // 2))
    run(job_for(hub, tmp_path, Wanted()))
    assert hub.conditions == [None, hub.tag]
    assert hub.ranges == [None, f"bytes={SIZE // 2}-"]


@pytest.mark.parametrize(("age", "continued"), [(timedelta(days=1), True), (timedelta(seconds=1), False)])
def test_the_time_of_a_change_is_a_mark_when_it_was_a_while_ago(
    hub: Hub, tmp_path: Path, age: timedelta, continued: bool
) -> None:
    hub.announced["Last-Modified"] = format_datetime(datetime.now(UTC) - age, usegmt=True)
    hub.behaviours.extend([Cut(SIZE // 2), Deaf(hub.content)])
    run(job_for(hub, tmp_path, Wanted()))
    assert (tmp_path / "tiny.gguf").read_bytes() == hub.content
    assert hub.ranges[1] == (f"bytes={SIZE // 2}-" if continued else None)


@pytest.mark.parametrize("header", ["Repr-Digest", "Digest", "X-Checksum-SHA256"])
@pytest.mark.parametrize("right", [True, False])
def test_a_checksum_in_a_header_is_held_to(hub: Hub, tmp_path: Path, header: str, right: bool) -> None:
    digest = hashlib.sha256(hub.content if right else b"another file").digest()
    coded = base64.b64encode(digest).decode()
    said = {"Repr-Digest": f"md5=:abc=:, sha-256=:{coded}:", "Digest": f"SHA-256={coded}"}
    hub.announced[header] = said.get(header, digest.hex().upper())
    run(job_for(hub, tmp_path, Wanted()))
    assert (tmp_path / "tiny.gguf").exists() == right


def test_a_file_that_shrank_is_begun_anew(hub: Hub, tmp_path: Path) -> None:
    hub.tagged = True
    hub.behaviours.extend([Cut(SIZE // 2), Deaf(b"GGUF small")])
    run(job_for(hub, tmp_path, Wanted()))
    assert (tmp_path / "tiny.gguf").read_bytes() == b"GGUF small"


def test_a_server_that_does_not_say_how_much_is_refused(hub: Hub, tmp_path: Path) -> None:
    hub.sized = False
    step = run(job_for(hub, tmp_path, Wanted()))
    assert isinstance(step, GiveUp)
    assert "how large" in dict(step.causes)[0]
