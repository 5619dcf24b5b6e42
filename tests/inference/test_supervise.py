"""Tests of the supervisor with real processes: crashes, stopping, being killed; nothing may be left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from inference.supervise import processes, status
from inference.supervise.policy import ChildState
from inference.supervise.processes import MARK_VARIABLE, Mark, find, is_alive, wait_until

PATIENCE_S = 20.0

SUPERVISE = """
import sys
from pathlib import Path
from inference.supervise.supervisor import ChildSpec, Places, Supervisor

home, *scripts = sys.argv[1:]
specs = [ChildSpec(f"child{n}", lambda s=s: [sys.executable, "-c", s]) for n, s in enumerate(scripts)]
places = Places(Path(home, "run"), Path(home, "logs"), Path.cwd())
Supervisor(specs, places, lambda line: print(line, flush=True)).run("http://127.0.0.1:1/", lambda: True)
"""

QUIET = "import signal; signal.pause()"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); signal.pause()"
PARENT = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {QUIET!r}], start_new_session=True)"


@dataclass
class Run:
    """A supervisor process and the folder it works in."""

    home: Path
    process: subprocess.Popen[str]

    @property
    def run_dir(self) -> Path:
        return self.home / "run"

    def children(self) -> dict[str, status.ChildStatus]:
        current = status.read(self.run_dir)
        return current.children if current else {}

    def until(self, condition: Callable[[], object]) -> None:
        assert wait_until(lambda: bool(condition()), PATIENCE_S), self.children()

    def until_running(self, members: int) -> None:
        """Wait until the status says that every child runs, and `members` processes are there."""
        self.until(lambda: self.children() and all(c.state is ChildState.RUNNING for c in self.children().values()))
        self.until(lambda: len(find(Mark(self.run_dir))) == members)


@pytest.fixture
def hangup() -> Iterator[None]:
    """Undo an inherited `nohup`, which tests may run under and which the supervisor rightly heeds."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.fixture
def supervise(tmp_path: Path, hangup: None) -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def start(*scripts: str, under: tuple[str, ...] = ()) -> Run:
        for name in ("run", "logs"):
            (tmp_path / name).mkdir(exist_ok=True)
        command = [*under, sys.executable, "-c", SUPERVISE, str(tmp_path), *scripts]
        runs.append(Run(tmp_path, subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
        return runs[-1]

    yield start
    for run in runs:
        run.process.kill()
        run.process.communicate()
        processes.kill_all(Mark(run.run_dir))


def test_crashed_child_comes_back_and_the_others_stay(supervise: Callable[..., Run]) -> None:
    run = supervise(QUIET, QUIET)
    run.until_running(2)
    before = run.children()
    os.kill(before["child0"].pid, signal.SIGKILL)
    run.until(lambda: run.children()["child0"].restarts == 1)
    after = run.children()
    assert after["child0"].last_exit == "killed by SIGKILL"
    assert after["child0"].pid != before["child0"].pid
    assert after["child1"] == before["child1"]


def test_what_a_crashed_child_leaves_behind_is_gone_before_it_comes_back(supervise: Callable[..., Run]) -> None:
    run = supervise(PARENT)
    run.until_running(2)
    grandchild = next(p for p in find(Mark(run.run_dir)) if p.pid != run.children()["child0"].pid)
    os.kill(run.children()["child0"].pid, signal.SIGKILL)
    run.until(lambda: run.children()["child0"].restarts == 1)
    assert not is_alive(grandchild)


def test_child_that_cannot_be_started_is_reported_and_tried_again(tmp_path: Path) -> None:
    for name in ("run", "logs"):
        (tmp_path / name).mkdir()
    script = SUPERVISE.replace('[sys.executable, "-c", s]', '["/no/such/program"]')
    command = [sys.executable, "-c", script, str(tmp_path), ""]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        lines = [process.stdout.readline() for _ in range(3)]
        process.terminate()
    assert "could not be started" in lines[0]
    assert "starts again in 0.5 s" in lines[0]
    assert "starts again in 1 s" in lines[2]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_stopping_ends_children_and_grandchildren(supervise: Callable[..., Run], number: signal.Signals) -> None:
    run = supervise(QUIET, PARENT)
    run.until_running(3)
    run.process.send_signal(number)
    output, _ = run.process.communicate(timeout=PATIENCE_S)
    assert run.process.returncode == 0
    assert "Stopping" in output
    assert find(Mark(run.run_dir)) == []
    assert not list(run.run_dir.iterdir())


def test_ctrl_c_stops_what_a_script_runs_in_the_background(supervise: Callable[..., Run]) -> None:
    run = supervise(QUIET, under=("sh", "-c", 'trap "" INT; exec "$@"', "sh"))
    run.until_running(1)
    run.process.send_signal(signal.SIGINT)
    run.process.communicate(timeout=PATIENCE_S)
    assert find(Mark(run.run_dir)) == []


def test_closed_terminal_does_not_stop_what_runs_under_nohup(supervise: Callable[..., Run]) -> None:
    run = supervise(QUIET, under=("nohup",))
    run.until_running(1)
    run.process.send_signal(signal.SIGHUP)
    os.kill(run.children()["child0"].pid, signal.SIGKILL)
    run.until(lambda: run.children()["child0"].restarts == 1)
    assert run.process.poll() is None


def test_second_request_kills_a_child_that_does_not_listen(supervise: Callable[..., Run]) -> None:
    run = supervise(STUBBORN)
    log = run.home / "logs" / "child0.log"
    run.until(lambda: log.exists() and "deaf" in log.read_text())
    assert run.process.stdout
    run.process.send_signal(signal.SIGINT)
    while "Stopping" not in run.process.stdout.readline():
        pass
    run.process.send_signal(signal.SIGINT)
    # Well below the patience a single request would have.
    run.process.wait(timeout=4)
    assert find(Mark(run.run_dir)) == []


def test_killed_supervisor_leaves_nothing_behind(supervise: Callable[..., Run]) -> None:
    run = supervise(QUIET, PARENT)
    run.until_running(3)
    run.process.kill()
    run.until(lambda: not find(Mark(run.run_dir)))


def test_status_of_a_dead_supervisor_is_not_believed(supervise: Callable[..., Run]) -> None:
    run = supervise(QUIET)
    run.until_running(1)
    run.process.kill()
    run.process.wait()
    assert (run.run_dir / status.FILE_NAME).exists()
    assert status.read(run.run_dir) is None


def test_status_that_names_a_strangers_process_is_not_believed(tmp_path: Path) -> None:
    stranger = status.SupervisorStatus(os.getpid(), psutil.Process().create_time() - 3600, "http://127.0.0.1:1/")
    status.write(tmp_path, stranger)
    assert status.read(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', '{"children": []}', '{"children": {"web": 1}}'])
def test_damaged_status_file_counts_as_none(tmp_path: Path, text: str) -> None:
    (tmp_path / status.FILE_NAME).write_text(text)
    assert status.read(tmp_path) is None


def test_sweeping_ends_the_own_leftovers_and_no_strangers(tmp_path: Path) -> None:
    marks = {"own": Mark(tmp_path / "own", "1f", "web"), "stranger": Mark(tmp_path / "other", "1f", "web")}
    started = {
        name: subprocess.Popen([sys.executable, "-c", QUIET], env={**os.environ, MARK_VARIABLE: str(mark)})
        for name, mark in marks.items()
    }
    try:
        assert wait_until(lambda: len(find(marks["own"])) == 1 and len(find(marks["stranger"])) == 1, PATIENCE_S)
        assert processes.end_all(Mark(tmp_path / "own"), grace_s=2.0) == []
        assert started["own"].wait(timeout=PATIENCE_S) == -signal.SIGTERM
        assert started["stranger"].poll() is None
    finally:
        for process in started.values():
            process.kill()
            process.wait()


def test_output_of_a_child_is_kept_readable_by_its_owner_alone(supervise: Callable[..., Run]) -> None:
    run = supervise("print('hello from the child', flush=True); import signal; signal.pause()")
    log = run.home / "logs" / "child0.log"
    run.until(lambda: log.exists() and "hello from the child" in log.read_text())
    assert log.stat().st_mode & 0o777 == 0o600


def test_log_that_has_grown_too_long_is_set_aside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "LOG_LIMIT_BYTES", 3)
    log = tmp_path / "web.log"
    for line in (b"first\n", b"second\n"):
        with processes.open_log(log) as file:
            file.write(line)
    assert log.read_bytes() == b"second\n"
    assert (tmp_path / "web.log.1").read_bytes() == b"first\n"
