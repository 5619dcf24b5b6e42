"""Measuring in the background: it waits for quiet, gives way, is stopped, and survives its worker."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from inference.catalogue import find
from inference.downloads import bell
from inference.engine.plan import EXACT
from inference.errors import ModelFailed
from inference.fetch import stamp
from inference.fitting import estimated_costs, measured_rows
from inference.identity import own_identity
from inference.installed import of_entry
from inference.models import Measurement
from inference.probe.rows import Row
from inference.tuning import measuring
from inference.tuning.overrides import Overrides
from inference.tuning.quiet import (
    ANSWERING,
    GAVE_WAY,
    READING,
    ROOM,
    Around,
    around,
    is_short,
    reason_to_stop,
    reason_to_wait,
)
from inference.tuning.store import put
from tests.inference.gguf_files import write_gguf

pytestmark = pytest.mark.django_db

SMALL = "smollm2-135m"
ME = own_identity()
GONE = "1:1"
PLENTY, LITTLE = 1 << 40, 1 << 20
QUIET = Around(answering=False, busy=False, available=PLENTY)
ASKED = Around(answering=True, busy=False, available=PLENTY)
READS = Around(answering=False, busy=True, available=PLENTY)
ROWS = [Row(EXACT, estimated_costs(10**8, 23_040, 8192), 300, 60)]
State = Measurement.State


@pytest.fixture(autouse=True)
def models_dir(tmp_path: Path, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "models"
    folder.mkdir()
    settings.MODELS_DIR, settings.RUN_DIR = folder, tmp_path
    monkeypatch.delenv("READAHEAD_MODEL", raising=False)
    write_gguf(folder / find(SMALL).file)
    return folder


class Probe:
    """Stands in for the process that measures; `during` happens in its middle."""

    def __init__(self) -> None:
        self.options: Sequence[str] = ()
        self.during: Callable[[], None] = lambda: None
        self.runs = 0

    def __call__(self, _path: Path, say: Callable[[str], None], options: Sequence[str], look: Any) -> list[Row]:
        self.options = options
        self.runs += 1
        say("measured 0 of 10")
        self.during()
        look()
        say("measured 3 of 10")
        return ROWS


@pytest.fixture(autouse=True)
def probe(monkeypatch: pytest.MonkeyPatch) -> Probe:
    made = Probe()
    monkeypatch.setattr(measuring, "run_probe", made)
    return made


def work(*looks: Around) -> bool:
    """Let the worker work; it sees the looks in their order, and the last one from then on."""
    left = list(looks or (QUIET,))
    return measuring.measure_once(ME, lambda: left.pop(0) if len(left) > 1 else left[0], lambda _seconds: None)


def the_row() -> Measurement:
    return Measurement.objects.get()


def test_what_is_asked_for_is_measured_kept_and_called_so(models_dir: Path, probe: Probe) -> None:
    measuring.request(SMALL)
    assert measuring.is_anything_left()
    assert work() is True
    row = the_row()
    assert (row.state, row.done, row.total, row.worker) == (State.DONE, 3, 10, "")
    model = of_entry(find(SMALL), models_dir)
    threads = int(probe.options[1])
    assert measured_rows(model, models_dir / "probes", threads) == ROWS
    assert measuring.measured_at(model, threads, None)
    assert (measuring.is_anything_left(), work()) == (False, False)


def test_it_is_measured_with_the_threads_that_are_set(models_dir: Path, probe: Probe) -> None:
    put(SMALL, Overrides(threads=1, gpu_layers=3))
    measuring.request(SMALL)
    work()
    assert list(probe.options) == ["--threads", "1", "--gpu-layers", "3"]
    model = of_entry(find(SMALL), models_dir)
    assert measured_rows(model, models_dir / "probes", 1, 3) == ROWS
    assert measured_rows(model, models_dir / "probes", 1) == []


def test_asking_rings_the_bell_of_the_process_that_works(
    tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        measuring.request(SMALL)
    assert bell.heard(tmp_path / bell.NAME)


def test_asking_twice_is_asking_once_and_again_afterwards_is_anew() -> None:
    measuring.request(SMALL)
    measuring.request(SMALL)
    work()
    assert measuring.request(SMALL).state == State.WAITING
    assert (the_row().done, the_row().total) == (0, 0)


def test_a_model_that_is_not_here_is_not_measured(models_dir: Path) -> None:
    with pytest.raises(ModelFailed, match="not installed"):
        measuring.request("qwen2.5-coder-0.5b")
    measuring.request(SMALL)
    (models_dir / find(SMALL).file).unlink()
    work()
    assert (the_row().state, the_row().error) == (
        State.FAILED,
        f"{SMALL} is not installed. Fetch it first.",
    )


def test_a_file_that_only_the_setting_names_is_measured_too(
    tmp_path: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = write_gguf(tmp_path / "elsewhere.gguf")
    monkeypatch.setenv("READAHEAD_MODEL", str(elsewhere))
    measuring.request("elsewhere")
    work()
    assert the_row().state == State.DONE
    assert list((models_dir / "probes").iterdir())


@pytest.mark.parametrize(("now", "reason"), [(ASKED, ANSWERING), (READS, READING)], ids=["answering", "reading"])
def test_it_begins_when_nothing_else_computes_and_says_what_it_waits_for(
    now: Around, reason: str, probe: Probe
) -> None:
    measuring.request(SMALL)
    seen: list[str] = []

    def look() -> Around:
        seen.append(the_row().note)
        return now if len(seen) < 4 else QUIET

    measuring.measure_once(ME, look, lambda _seconds: None)
    assert seen[1:4] == [reason] * 3
    assert (the_row().state, the_row().note) == (State.DONE, "")


def test_who_waits_too_long_lets_downloads_go_first_and_comes_back(probe: Probe) -> None:
    measuring.request(SMALL)
    work(ASKED)
    row = the_row()
    assert (row.state, row.note, probe.runs) == (State.WAITING, ANSWERING, 0)
    assert row.until is not None
    assert row.until > timezone.now()
    assert work() is False
    Measurement.objects.update(until=timezone.now() - timedelta(seconds=1))
    assert work() is True
    assert the_row().state == State.DONE


def test_where_memory_is_short_it_gives_way_to_a_question(probe: Probe) -> None:
    measuring.request(SMALL)
    short = Around(answering=False, busy=False, available=LITTLE)
    work(short, Around(answering=True, busy=False, available=LITTLE))
    assert (the_row().state, the_row().note, the_row().done) == (State.WAITING, GAVE_WAY, 0)


def test_where_memory_is_plenty_it_goes_on_beside_a_question() -> None:
    measuring.request(SMALL)
    work(QUIET, ASKED)
    assert the_row().state == State.DONE


def test_a_person_can_stop_it_in_its_middle(probe: Probe, models_dir: Path) -> None:
    measuring.request(SMALL)
    stopped: list[bool] = []
    probe.during = lambda: stopped.append(measuring.stop(SMALL))
    work()
    assert (the_row().state, stopped) == (State.CANCELLED, [True])
    assert not (models_dir / "probes").exists()
    assert measuring.stop(SMALL) is False


def test_while_it_measures_nothing_is_read_ahead_and_a_dead_worker_holds_nothing_up(probe: Probe) -> None:
    measuring.request(SMALL)
    assert measuring.is_measuring() is False
    during: list[bool] = []
    probe.during = lambda: during.append(measuring.is_measuring())
    work()
    assert (during, measuring.is_measuring()) == ([True], False)
    Measurement.objects.update(state=State.MEASURING, worker=GONE)
    assert measuring.is_measuring() is False


@pytest.mark.parametrize("holder", [GONE, ME], ids=["worker gone", "worker begins anew"])
def test_what_a_killed_worker_left_is_measured_by_the_next(holder: str) -> None:
    measuring.request(SMALL)
    Measurement.objects.update(state=State.MEASURING, worker=holder, done=7, total=10)
    assert work() is True
    assert (the_row().state, the_row().done) == (State.DONE, 3)


def test_what_another_living_worker_measures_is_left_to_it() -> None:
    measuring.request(SMALL)
    Measurement.objects.update(state=State.MEASURING, worker=ME)
    assert measuring.measure_once(f"{os.getppid()}:1", lambda: QUIET, lambda _seconds: None) is False
    assert the_row().worker == ME


def test_a_failure_is_shown_with_its_cause(probe: Probe) -> None:
    def fail() -> None:
        raise ModelFailed("The model could not be measured: out of memory.")

    probe.during = fail
    measuring.request(SMALL)
    work()
    assert (the_row().state, the_row().error) == (State.FAILED, "The model could not be measured: out of memory.")


def test_a_fault_of_ours_is_one_failed_measurement(probe: Probe, caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise ZeroDivisionError

    probe.during = fail
    measuring.request(SMALL)
    assert work() is True
    assert the_row().error == measuring.UNEXPECTED
    assert "ZeroDivisionError" in caplog.text


def test_the_figures_of_the_service_say_who_is_at_work() -> None:
    assert around({}, 5) == Around(answering=False, busy=False, available=5)
    assert around({"conversation_active": 1}, 5).answering
    assert around({"conversation_waiting": 2}, 5).answering
    assert around({"study_active": 1}, 5) == Around(answering=False, busy=True, available=5)
    assert around({"service_active": 1}, 5).busy


def test_the_rules_of_waiting_and_of_giving_way() -> None:
    assert (reason_to_wait(QUIET), reason_to_wait(ASKED), reason_to_wait(READS)) == ("", ANSWERING, READING)
    assert [reason_to_stop(ASKED, short=short) for short in (True, False)] == [GAVE_WAY, ""]
    assert reason_to_stop(READS, short=True) == ""
    assert is_short(Around(answering=False, busy=False, available=10**9 + ROOM - 1), 10**9)
    assert not is_short(Around(answering=False, busy=False, available=10**9 + ROOM), 10**9)


def test_the_file_of_the_test_is_known_by_its_sum(models_dir: Path) -> None:
    """What is measured is kept by the file's sum, so another file of the same name has no figures."""
    measuring.request(SMALL)
    work()
    path = models_dir / find(SMALL).file
    stamp.stamp_path(path).unlink()
    write_gguf(path, general__name="another")
    stamp.checksum(path)
    assert measured_rows(of_entry(find(SMALL), models_dir), models_dir / "probes", 2) == []
