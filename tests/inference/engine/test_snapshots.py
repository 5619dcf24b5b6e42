"""Snapshots with the real model: restored or read again, the answer is the same."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import Mock

import pytest

from inference.contracts import ChatMessage, ChatRequest, Part, PoolName
from inference.engine.engine import LlamaEngine
from inference.engine.snapshots import SnapshotStore, compatibility_key
from inference.errors import EngineFault
from tests.inference.engine.conftest import Asked, load, model_file

pytestmark = pytest.mark.engine

DOCUMENT = " ".join(f"Item {number} costs {number * 7 % 13} euros." for number in range(40))
ASK = "Write about them."
PLENTY = 10**9


def ask_about(
    engine: LlamaEngine, question: str, document: str = DOCUMENT, *, save: str = "", conversation: str = ""
) -> Asked:
    """Ask in a conversation, or else in the study pool, whose single slot `overwrite` overwrites in between."""
    import queue

    pool = PoolName.CONVERSATION if conversation else PoolName.STUDY

    message = ChatMessage("user", (Part(document, save or "doc:1"), Part(question)))
    events: queue.Queue[object] = queue.Queue()
    keep = (save,) if save else ()
    request = ChatRequest((message,), pool=pool, max_tokens=12, save=keep, conversation=conversation)
    return Asked(engine.submit(request, events.put), events)  # type: ignore[arg-type]


def overwrite(engine: LlamaEngine) -> None:
    """Put something else into the study slot, so that nothing is left to reuse."""
    ask_about(engine, "?", "Something else altogether, to fill the slot with other tokens.").result()


@pytest.fixture
def store(tmp_path: Path) -> SnapshotStore:
    return SnapshotStore(tmp_path / "snapshots", compatibility_key({"model": "small"}), PLENTY)


@pytest.fixture
def engine(store: SnapshotStore) -> Iterator[LlamaEngine]:
    running = load(model_file("smollm2-135m"), store)
    yield running
    running.stop()


@pytest.fixture
def plain(engine: LlamaEngine, store: SnapshotStore) -> str:
    """The answer by plain prefill; afterwards the document is on disk and gone from the slot."""
    answer, end = ask_about(engine, ASK, save="doc:1").result()
    assert end.timings.restored == 0
    overwrite(engine)
    store.flush()
    assert store.usage() > 0
    return answer


def the_file(store: SnapshotStore) -> Path:
    (path,) = store._shelf.own()
    return path


def the_smallest(store: SnapshotStore) -> Path:
    return min(store._shelf.own(), key=lambda path: path.stat().st_size)


def test_a_document_is_restored_and_the_answer_is_the_one_of_plain_prefill(engine: LlamaEngine, plain: str) -> None:
    answer, end = ask_about(engine, ASK).result()
    assert answer == plain
    assert end.timings.restored > 350
    assert end.timings.read < 40
    assert end.timings.prompt == end.timings.restored + end.timings.reused + end.timings.read


def test_what_the_study_has_read_every_conversation_goes_on_from(engine: LlamaEngine, plain: str) -> None:
    answer, end = ask_about(engine, ASK, conversation="first").result()
    assert (answer, end.timings.restored > 350, end.timings.read < 40) == (plain, True, True)
    answer, end = ask_about(engine, ASK, conversation="second").result()  # copied from the slot of the first
    assert (answer, end.timings.reused > 350, end.timings.read < 40) == (plain, True, True)


def test_what_a_conversation_has_read_the_study_goes_on_from(engine: LlamaEngine, store: SnapshotStore) -> None:
    ask_about(engine, "Hello.", "Nothing of the kind.", conversation="first").result()
    plain, end = ask_about(engine, ASK, conversation="second", save="doc:1").result()
    assert end.timings.read > 350
    store.flush()
    answer, end = ask_about(engine, ASK).result()
    assert answer == plain
    assert end.timings.restored > 350


def test_it_survives_a_restart(engine: LlamaEngine, store: SnapshotStore, plain: str, tmp_path: Path) -> None:
    engine.stop()
    reopened = SnapshotStore(tmp_path / "snapshots", compatibility_key({"model": "small"}), PLENTY)
    again = load(model_file("smollm2-135m"), reopened)
    answer, end = ask_about(again, ASK).result()
    again.stop()
    assert (answer, end.timings.restored > 350) == (plain, True)


def test_another_question_uses_it_too_and_a_shorter_document_a_part_of_it(engine: LlamaEngine, plain: str) -> None:
    _, end = ask_about(engine, "Which is cheapest, and why?").result()
    assert end.timings.restored > 350
    overwrite(engine)
    half = DOCUMENT[: len(DOCUMENT) // 2]
    _, end = ask_about(engine, ASK, half).result()
    assert 150 < end.timings.restored < 350


def test_a_state_that_a_smaller_window_has_no_room_for_is_passed_over_and_kept(
    engine: LlamaEngine, store: SnapshotStore, plain: str, tmp_path: Path
) -> None:
    ask_about(engine, ASK, DOCUMENT + " And once more: " + DOCUMENT, save="doc:1+1").result()
    store.flush()
    longer = next(file for file in store._shelf.own() if file.stat().st_size > 1.5 * the_smallest(store).stat().st_size)
    engine.stop()
    reopened = SnapshotStore(tmp_path / "snapshots", compatibility_key({"model": "small"}), PLENTY)
    small = load(model_file("smollm2-135m"), reopened, window=512)
    _, end = ask_about(small, ASK, DOCUMENT + " And so on.").result()
    small.stop()
    assert end.timings.restored > 350
    assert longer.exists()
    assert reopened.metrics()["snapshots_rejected_total"] == 0


@pytest.mark.parametrize("fault", ["missing", "empty", "truncated", "flipped", "renamed"])
def test_a_bad_snapshot_means_plain_prefill_the_same_answer_and_no_file(
    engine: LlamaEngine, store: SnapshotStore, plain: str, fault: str
) -> None:
    path = the_file(store)
    data = bytearray(path.read_bytes())
    if fault == "missing":
        path.unlink()
    elif fault == "empty":
        path.write_bytes(b"")
    elif fault == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif fault == "flipped":
        data[len(data) // 2] ^= 4
        path.write_bytes(data)
    else:
        ask_about(engine, "?", "Another document. " * 30, save="doc:1").result()
        store.flush()
        other = next(file for file in store._shelf.own() if file != path)
        path.write_bytes(other.read_bytes())
        overwrite(engine)
    answer, end = ask_about(engine, ASK).result()
    assert (answer, end.timings.restored) == (plain, 0)
    assert not path.exists()
    assert store.metrics()["snapshots_rejected_total"] == 1


def test_a_snapshot_of_another_model_is_never_looked_at(store: SnapshotStore, plain: str, tmp_path: Path) -> None:
    other = SnapshotStore(tmp_path / "snapshots", compatibility_key({"model": "another"}), PLENTY)
    assert other.metrics()["snapshots"] == 0
    assert other.usage() == store.usage() > 0


def test_forgetting_a_document_deletes_its_state(engine: LlamaEngine, store: SnapshotStore, plain: str) -> None:
    assert engine.forget("doc:2") == 0
    assert engine.forget("doc:1") == 1
    assert store.usage() == 0
    assert ask_about(engine, ASK).result()[1].timings.restored == 0


def test_one_state_under_two_names_is_stored_once_and_outlives_the_first(
    engine: LlamaEngine, store: SnapshotStore, plain: str
) -> None:
    size = store.usage()
    ask_about(engine, "?", save="doc:2").result()
    store.flush()
    assert store.usage() == size
    assert engine.forget("doc:1") == 1
    overwrite(engine)
    answer, end = ask_about(engine, ASK).result()
    assert (answer, end.timings.restored > 350) == (plain, True)
    assert engine.forget("doc:2") == 1
    assert store.usage() == 0


@pytest.mark.parametrize("fault", [MemoryError(), EngineFault("no state")])
def test_a_state_that_cannot_be_saved_harms_no_answer(
    engine: LlamaEngine, store: SnapshotStore, plain: str, monkeypatch: pytest.MonkeyPatch, fault: Exception
) -> None:
    context = engine._pools[PoolName.STUDY].context
    monkeypatch.setattr(context, "state", Mock(side_effect=fault))
    answer, _ = ask_about(engine, ASK, f"New. {DOCUMENT}", save="doc:3").result()
    assert answer
    assert "could not be kept" in store.trouble
    assert store.metrics()["snapshots_failed_total"] == 1


def test_a_slow_disk_keeps_nobody_waiting(engine: LlamaEngine, store: SnapshotStore, plain: str) -> None:
    hold = threading.Event()
    store._writer.submit(hold.wait, 60)
    for number in range(4):
        ask_about(engine, "?", f"{number}. {DOCUMENT}", save="doc:4").result()
    hold.set()
    store.flush()
    assert store.metrics()["snapshots_failed_total"] == 2
    assert len(store._shelf.own()) == 3


def test_the_least_recently_used_goes_first_under_the_quota(
    engine: LlamaEngine, store: SnapshotStore, plain: str
) -> None:
    size = store.usage()
    first = the_file(store)
    store._shelf.quota = int(2.5 * size)
    for letter in "ab":
        ask_about(engine, "?", f"{letter}. {DOCUMENT}", save="doc:1").result()
        ask_about(engine, ASK).result()  # the first one is used again and again
    store.flush()
    assert len(store._shelf.own()) == 2
    assert first.exists()


def test_what_is_larger_than_the_quota_is_not_kept_and_it_says_so(
    engine: LlamaEngine, store: SnapshotStore, plain: str
) -> None:
    store._shelf.quota = 1000
    ask_about(engine, "?", f"New. {DOCUMENT}", save="doc:1").result()
    store.flush()
    assert "quota for snapshots is 1,000" in store.trouble
    assert the_file(store).exists()


def test_what_a_crash_left_half_written_is_swept(store: SnapshotStore, tmp_path: Path) -> None:
    folder = tmp_path / "snapshots"
    (folder / "x.draft").write_bytes(b"half")
    key = compatibility_key({"model": "small"})
    (folder / f"{key[:16]}-dead.kv").write_bytes(b"half")
    SnapshotStore(folder, key, PLENTY)
    assert list(folder.iterdir()) == []


def test_a_text_that_has_grown_replaces_what_was_kept_of_it_before(engine: LlamaEngine, store: SnapshotStore) -> None:
    ask_about(engine, ASK, save="doc:1").result()
    store.flush()
    ask_about(
        engine, ASK, DOCUMENT + " Another line follows, and with it the document is longer.", save="doc:1"
    ).result()
    store.flush()
    assert store.metrics()["snapshots_saved_total"] == 2
    assert store.metrics()["snapshots"] == 1


def test_another_text_of_the_same_name_is_kept_beside_the_first(engine: LlamaEngine, store: SnapshotStore) -> None:
    ask_about(engine, ASK, save="doc:1").result()
    ask_about(engine, ASK, "Part two is something else altogether. " * 20, save="doc:1").result()
    store.flush()
    assert store.metrics()["snapshots"] == 2
