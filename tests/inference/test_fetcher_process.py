"""The process that fetches, killed in the middle: the next one goes on where it was, and the file is right."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psutil
import pytest

from tests.inference.gguf_files import write_gguf
from tests.inference.hub import Cut, Hang, Hub, serve_hub

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_S = 90.0

pytestmark = pytest.mark.slow


class Home:
    """A data folder with its models folder, and `manage.py` over it."""

    def __init__(self, folder: Path) -> None:
        self.models = folder / "models"
        self._folder = folder
        self._environment = {
            **os.environ,
            "READAHEAD_HOME": str(folder / "home"),
            "READAHEAD_MODELS": str(self.models),
            "READAHEAD_DATABASE": "",
            "DJANGO_SETTINGS_MODULE": "ragsite.settings",
        }

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "manage.py", *words]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)

    def run(self, *words: str) -> None:
        assert self.start(*words).wait(PATIENCE_S) == 0, (self._folder / "log").read_text()

    @contextmanager
    def fetcher(self) -> Iterator[subprocess.Popen[bytes]]:
        process = self.start("fetcher")
        try:
            yield process
        finally:
            process.kill()
            process.wait()

    def ask_for(self, address: str) -> None:
        ask = f"from inference.downloads.service import import_address; import_address('{address}')"
        self.run("shell", "--no-imports", "-c", ask)

    def state(self) -> str:
        with closing(sqlite3.connect(self._folder / "home" / "db.sqlite3", timeout=30)) as database:
            return str(database.execute("SELECT state FROM inference_download").fetchone()[0])


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.run("migrate", "--verbosity", "0")
    return made


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[Hub]:
    with serve_hub(write_gguf(tmp_path / "whole.gguf").read_bytes()) as served:
        served.tagged = True
        yield served


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, "it takes too long"
        time.sleep(0.05)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=["killed", "asked to end"])
def test_a_fetch_survives_the_end_of_its_process(home: Home, hub: Hub, number: signal.Signals) -> None:
    hub.behaviours.extend([Hang(after=60_000), Cut(after=20_000)])
    home.ask_for(f"{hub.endpoint}/own.gguf")
    with home.fetcher() as first:
        assert hub.hanging.wait(PATIENCE_S)
        part = home.models / "own.gguf.part"
        wait_until(lambda: part.exists() and part.stat().st_size > 0)
        first.send_signal(number)
        first.wait(PATIENCE_S)
    arrived = part.stat().st_size
    assert home.state() == "fetching"
    with home.fetcher():
        wait_until(lambda: home.state() == "done")
    assert (home.models / "own.gguf").read_bytes() == hub.content
    assert hub.ranges[:2] == [None, f"bytes={arrived}-"]


def test_at_rest_the_process_is_a_small_one_that_wakes_up_when_asked(home: Home, hub: Hub) -> None:
    with home.fetcher() as process:
        seen = psutil.Process(process.pid)
        wait_until(lambda: "inference.downloads.bell" in seen.cmdline())
        assert seen.memory_info().rss < 30_000_000
        home.ask_for(f"{hub.endpoint}/own.gguf")
        wait_until(lambda: home.state() == "done")
        assert process.poll() is None
