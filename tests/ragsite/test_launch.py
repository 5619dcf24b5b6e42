"""Tests of starting: what stands in the way is said in one sentence, and what is started ends without a trace."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from django.contrib.auth.models import User
from pytest_django import Settings

from inference.loopback import is_loopback
from inference.supervise import processes
from inference.supervise.ports import free_port
from inference.supervise.processes import Mark, find, is_alive, wait_until
from ragsite.launch import CannotStart, require_account, require_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 240.0
"""For a slow machine with other work; what holds is noticed at once."""

pytestmark = pytest.mark.timeout(600)


def test_port_of_another_program_is_named_with_one_that_is_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(CannotStart, match=rf"^Port {port} is taken .* PORT=(\d+) make run$") as refused:
            require_port("127.0.0.1", port)
        offered = int(str(refused.value).partition("PORT=")[2].split()[0])
        require_port("127.0.0.1", offered)


def test_foreign_address_is_named() -> None:
    with pytest.raises(CannotStart, match=r"192\.0\.2\.1 is not an address of this machine"):
        require_port("192.0.2.1", 8642)


@pytest.mark.django_db
def test_start_for_others_needs_an_account_with_a_password(settings: Settings) -> None:
    settings.OPENS_AS_OWNER = False
    settings.HOST = "0.0.0.0"
    with pytest.raises(CannotStart, match=r"changepassword owner"):
        require_account()
    User.objects.create_user("anna", password="correct horse battery")
    require_account()


@pytest.mark.django_db
def test_start_for_the_owner_needs_no_account() -> None:
    require_account()


class Installation:
    """A data folder and a port, and `manage.py up` over them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.port = free_port("127.0.0.1")
        self.runs: list[subprocess.Popen[str]] = []

    @property
    def mark(self) -> Mark:
        return Mark(self.home / "run")

    def up(self, **variables: str) -> subprocess.Popen[str]:
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "ragsite.settings",
            "READAHEAD_HOME": str(self.home),
            "READAHEAD_MODEL": "smollm2-135m",
            "PORT": str(self.port),
            "PYTHONUNBUFFERED": "1",
            **variables,
        }
        command = [sys.executable, "manage.py", "up"]
        pipe = subprocess.PIPE
        self.runs.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True))
        return self.runs[-1]

    def until_said(self, run: subprocess.Popen[str], words: str) -> None:
        assert run.stdout
        for line in run.stdout:
            if words in line:
                return
        pytest.fail(f"{words!r} was never said: {run.stderr.read() if run.stderr else ''}")

    def health(self) -> dict[str, object]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", "/health/")
            document: dict[str, object] = json.loads(connection.getresponse().read())
            return document
        finally:
            connection.close()

    def until_health(self, condition: Callable[[dict[str, object]], object]) -> None:
        def holds() -> bool:
            try:
                return bool(condition(self.health()))
            except (OSError, http.client.HTTPException):
                return False  # too busy to answer, or between two processes

        assert wait_until(holds, PATIENCE_S), self.health()


def workers_of(installation: Installation) -> list[psutil.Process]:
    return [process for process in find(installation.mark) if "qcluster" in process.cmdline()]


@pytest.fixture
def installation(tmp_path: Path) -> Iterator[Installation]:
    made = Installation(tmp_path / "home")
    yield made
    for run in made.runs:
        run.kill()
        run.communicate()
    processes.kill_all(made.mark)


def test_taken_port_prevents_the_start_in_one_sentence(installation: Installation) -> None:
    with socket.create_server(("127.0.0.1", installation.port)):
        run = installation.up()
        _, complaint = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    assert complaint.startswith(f"Port {installation.port} is taken by another program.")
    assert complaint.count("\n") == 1


def test_address_for_others_without_an_account_prevents_the_start(installation: Installation) -> None:
    run = installation.up(READAHEAD_HOST="0.0.0.0")
    _, complaint = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    assert complaint.startswith("On 0.0.0.0 everybody has to sign in")
    assert complaint.count("\n") == 1


def test_missing_model_file_prevents_the_start(installation: Installation, tmp_path: Path) -> None:
    run = installation.up(READAHEAD_MODEL=str(tmp_path / "none.gguf"))
    _, complaint = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    assert "none.gguf" in complaint
    assert complaint.count("\n") == 1


def test_file_that_is_no_model_prevents_the_start(installation: Installation, tmp_path: Path) -> None:
    (tmp_path / "notes.gguf").write_text("bread, butter")
    run = installation.up(READAHEAD_MODEL=str(tmp_path / "notes.gguf"))
    _, complaint = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 1
    assert complaint == "notes.gguf is not a GGUF file, the only format that llama.cpp reads.\n"


@pytest.mark.engine
@pytest.mark.slow
def test_life_of_an_installation(installation: Installation) -> None:
    """Start, refuse a second start, survive a killed model process, stay on loopback, stop without a trace."""
    run = installation.up()
    installation.until_said(run, f"Readahead is ready: http://127.0.0.1:{installation.port}/")
    installation.until_health(lambda document: document["status"] == "ok")

    second = installation.up()
    _, complaint = second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 1
    assert complaint == f"Readahead runs with this data folder already: http://127.0.0.1:{installation.port}/\n"

    web = next(p for p in find(installation.mark) if "serve" in p.cmdline())
    model = installation.health()["inference"]
    assert isinstance(model, dict)
    os.kill(model["pid"], signal.SIGKILL)
    installation.until_health(
        lambda document: document["restarts"] == {"web": 0, "worker": 0, "reader": 0, "fetcher": 0, "inference": 1}
    )
    installation.until_health(lambda document: document["status"] == "ok")
    assert web.is_running()

    addresses = {
        end.ip
        for process in find(installation.mark)
        for connection in process.net_connections(kind="inet")
        for end in (connection.laddr, connection.raddr)
        if end
    }
    assert addresses
    assert all(is_loopback(address) for address in addresses)

    run.send_signal(signal.SIGINT)
    output, _ = run.communicate(timeout=PATIENCE_S)
    assert run.returncode == 0
    assert output.endswith("Stopped.\n")
    assert find(installation.mark) == []


@pytest.mark.engine
@pytest.mark.slow
def test_killed_start_leaves_nothing_and_does_not_stand_in_the_way(installation: Installation) -> None:
    run = installation.up()
    installation.until_said(run, "Readahead is ready")
    # The cluster, and what it forks some time after it was started.
    assert wait_until(lambda: len(workers_of(installation)) > 1, PATIENCE_S)
    workers = workers_of(installation)
    run.kill()
    assert wait_until(lambda: not find(installation.mark) and not any(map(is_alive, workers)), PATIENCE_S)
    half = installation.home / "incoming/half.upload"
    half.write_text("The first half of a lease")
    again = installation.up()
    installation.until_said(again, "Readahead is ready")
    assert not half.exists()
    again.terminate()
    again.communicate(timeout=PATIENCE_S)
    assert find(installation.mark) == []


@pytest.mark.engine
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopping_in_the_middle_of_the_start_leaves_nothing(installation: Installation, number: signal.Signals) -> None:
    run = installation.up()
    installation.until_said(run, "Starting")
    run.send_signal(number)
    run.communicate(timeout=PATIENCE_S)
    assert find(installation.mark) == []
