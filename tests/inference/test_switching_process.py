"""Tests of changing the model with real processes: scripts that say of themselves what the model service would."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from inference.supervise import processes, status
from inference.supervise.processes import Mark, find, wait_until
from inference.switching.bells import ring_choice, ring_wake
from inference.switching.report import ModelReport, told

PATIENCE_S = 30.0

SERVICE = """
import json, os, signal, subprocess, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from inference import endpoint

home, name, kind, port = sys.argv[1:]

def note(what):
    with Path(home, "lives").open("a") as lives:
        lives.write(f"{what} {name} {port}\\n")

def end(*_):
    note("ends")
    os._exit(0)

class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        state = "FAILED" if kind == "says-no" else "READY"
        health = {"state": state, "model": name, "message": "bad file." if state == "FAILED" else ""}
        body = json.dumps(health) if self.path == "/health" else "readahead_requests_total 1"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass

note("begins")
if kind == "ends":
    sys.exit(3)
if kind == "parent":
    rest = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()"
    subprocess.Popen([sys.executable, "-c", rest], start_new_session=True)
signal.signal(signal.SIGTERM, signal.SIG_IGN if kind == "deaf" else end)
server = ThreadingHTTPServer(("127.0.0.1", int(port)), Handler)
where = endpoint.Endpoint(f"http://127.0.0.1:{port}", "key", os.getpid(), name)
endpoint.publish(Path(home, "run"), where)
server.serve_forever()
"""

SUPERVISE = """
import sys
from pathlib import Path
from inference.errors import ModelFailed
from inference.supervise.ports import free_port
from inference.supervise.supervisor import ChildSpec, Places, Supervisor
from inference.switching import machine
from inference.switching.keeper import ModelKeeper, ModelSpec

home, service, sleep_after = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3])
machine.STOP_DEADLINE_S = 1.0
port = 0

def chosen():
    name, kind = (home / "choice").read_text().split()
    if kind == "gone":
        raise ModelFailed("The file is gone.")
    return machine.Target(name, kind)

def command(model):
    global port
    port = free_port("127.0.0.1", port)
    return [sys.executable, "-c", service, str(home), model.id, model.path, str(port)]

def put_back(failed, previous):
    (home / "choice").write_text(f"{previous.id} {previous.path}")

spec = ModelSpec(chosen, command, put_back, sleep_after, wanted=lambda: not (home / "elsewhere").exists())
places = Places(home / "run", home / "logs", Path.cwd())
other = ChildSpec("other", lambda: [sys.executable, "-c", "import signal; signal.pause()"])
keeper = lambda handle, say: ModelKeeper(spec, home / "run", handle, say)
say = lambda line: print(line, flush=True)
Supervisor([other], places, say, {"inference": keeper}).run("http://127.0.0.1:1/", lambda: True)
"""


@dataclass
class Run:
    """A supervisor with a model and another child, and the folder it works in."""

    home: Path
    process: subprocess.Popen[str]

    @property
    def run_dir(self) -> Path:
        return self.home / "run"

    @property
    def report(self) -> ModelReport:
        current = status.read(self.run_dir)
        return current.model if current and current.model else ModelReport()

    @property
    def lives(self) -> list[list[str]]:
        """Lines of [begins or ends, model, port] as the processes wrote them."""
        return [line.split() for line in (self.home / "lives").read_text().splitlines()]

    def pid(self, child: str) -> int:
        current = status.read(self.run_dir)
        return current.children[child].pid if current else 0

    def choose(self, name: str, kind: str = "good") -> None:
        (self.home / "choice").write_text(f"{name} {kind}")
        ring_choice(self.run_dir)

    def until(self, condition: Callable[[], object]) -> None:
        assert wait_until(lambda: bool(condition()), PATIENCE_S), (self.report, self.lives)

    def until_told(self, sentence: str) -> None:
        assert wait_until(lambda: told(self.report) == sentence, PATIENCE_S), (told(self.report), self.lives)


@pytest.fixture
def supervise(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    runs: list[Run] = []

    def start(name: str = "A", kind: str = "good", sleep_after_s: float = 0.0) -> Run:
        for folder in ("run", "logs"):
            (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / "choice").write_text(f"{name} {kind}")
        command = [sys.executable, "-c", SUPERVISE, str(tmp_path), SERVICE, str(sleep_after_s)]
        runs.append(Run(tmp_path, subprocess.Popen(command, stdout=subprocess.PIPE, text=True)))
        return runs[-1]

    yield start
    for run in runs:
        run.process.kill()
        run.process.communicate()
        processes.kill_all(Mark(run.run_dir))


def test_ten_changes_keep_the_port_and_never_have_two_processes(supervise: Callable[..., Run]) -> None:
    run = supervise()
    run.until_told("A is in use.")
    other = run.pid("other")
    for number in range(10):
        name = "BA"[number % 2]
        run.choose(name)
        run.until_told(f"{name} is in use.")
    assert [what for what, _, _ in run.lives] == ["begins", *["ends", "begins"] * 10]
    assert len({port for _, _, port in run.lives}) == 1
    assert run.pid("other") == other
    assert len(find(Mark(run.run_dir, child="inference"))) == 1


def test_a_process_that_does_not_listen_is_killed_before_the_next_one_begins(supervise: Callable[..., Run]) -> None:
    run = supervise("A", "deaf")
    run.until_told("A is in use.")
    before = run.pid("inference")
    run.choose("B")
    run.until_told("B is in use.")
    assert before not in [process.pid for process in find(Mark(run.run_dir))]
    assert [line[:2] for line in run.lives] == [["begins", "A"], ["begins", "B"]]


def test_what_the_old_process_has_left_is_gone_as_well(supervise: Callable[..., Run]) -> None:
    run = supervise("A", "parent")
    run.until(lambda: len(find(Mark(run.run_dir, child="inference"))) == 2)
    run.until_told("A is in use.")
    run.choose("B")
    run.until_told("B is in use.")
    assert len(find(Mark(run.run_dir, child="inference"))) == 1


@pytest.mark.parametrize(
    ("kind", "cause"),
    [("ends", "its process ended (exit code 3); its log has the details."), ("says-no", "bad file.")],
)
def test_a_model_that_does_not_start_gives_way_to_the_one_before_which_is_the_choice_again(
    supervise: Callable[..., Run], kind: str, cause: str
) -> None:
    run = supervise()
    run.until_told("A is in use.")
    run.choose("B", kind)
    run.until_told(f"B did not start: {cause} A is in use again.")
    assert (run.home / "choice").read_text() == "A good"
    run.choose("C")
    run.until_told("C is in use.")


def test_a_choice_that_cannot_be_followed_leaves_the_model_alone(supervise: Callable[..., Run]) -> None:
    run = supervise()
    run.until_told("A is in use.")
    before = run.pid("inference")
    run.choose("B", "gone")
    run.until_told("The chosen model did not start: The file is gone. A is in use.")
    assert run.pid("inference") == before


def test_a_first_model_that_fails_says_so_until_another_one_is_chosen(supervise: Callable[..., Run]) -> None:
    run = supervise("A", "says-no")
    run.until_told("A did not start: bad file. Choose another model, or this one to try it again.")
    assert run.pid("inference")
    run.choose("B")
    run.until_told("B is in use.")


def test_a_model_that_nobody_asks_leaves_and_comes_back_when_it_is_wanted(supervise: Callable[..., Run]) -> None:
    run = supervise(sleep_after_s=0.5)
    run.until_told("A is asleep; it wakes with the next question.")
    assert find(Mark(run.run_dir, child="inference")) == []
    ring_wake(run.run_dir)
    run.until(lambda: [what for what, _, _ in run.lives].count("begins") == 2)
    run.until_told("A is asleep; it wakes with the next question.")
    assert len({port for _, _, port in run.lives}) == 1


def test_a_model_in_whose_place_a_server_answers_leaves_at_once_until_it_is_asked_again(
    supervise: Callable[..., Run],
) -> None:
    run = supervise()
    run.until_told("A is in use.")
    (run.home / "elsewhere").touch()
    run.until_told("A is asleep; it wakes with the next question.")
    assert run.pid("inference") == 0
    (run.home / "elsewhere").unlink()
    ring_wake(run.run_dir)
    run.until_told("A is in use.")


def test_stopping_in_the_middle_of_a_change_leaves_nothing(supervise: Callable[..., Run]) -> None:
    run = supervise("A", "deaf")
    run.until_told("A is in use.")
    run.choose("B")
    run.until_told("Ending A.")
    run.process.send_signal(signal.SIGINT)
    run.process.send_signal(signal.SIGTERM)
    run.process.communicate(timeout=PATIENCE_S)
    assert run.process.returncode == 0
    assert find(Mark(run.run_dir)) == []


def test_what_happens_is_said_on_the_terminal(supervise: Callable[..., Run]) -> None:
    run = supervise()
    run.until_told("A is in use.")
    run.choose("B")
    run.until_told("B is in use.")
    run.process.send_signal(signal.SIGTERM)
    output, _ = run.process.communicate(timeout=PATIENCE_S)
    lines = output.splitlines()
    assert [line for line in lines if line[:6] in ("Ending", "Starti", "B is i")] == [
        "Ending A.", "Starting B.", "B is in use."
    ]  # fmt: skip
