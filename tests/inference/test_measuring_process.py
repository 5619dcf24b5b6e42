"""The process that measures, killed in the middle: the next one begins the measurement anew and ends it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from tests.inference.gguf_files import write_gguf
from tests.inference.test_fetcher_process import PATIENCE_S, Home, wait_until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

ASK = "from inference.tuning.measuring import request; request('tiny')"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    made.models.mkdir()
    write_gguf(made.models / "tiny.gguf")
    made.run("migrate", "--verbosity", "0")
    return made


def state(folder: Path) -> str:
    with closing(sqlite3.connect(folder / "home" / "db.sqlite3", timeout=30)) as database:
        return str(database.execute("SELECT state FROM inference_measurement").fetchone()[0])


def test_a_measurement_survives_the_end_of_its_process_and_wakes_one_at_rest(home: Home, tmp_path: Path) -> None:
    home.run("shell", "--no-imports", "-c", ASK)
    with home.fetcher() as first:
        wait_until(lambda: state(tmp_path) == "measuring")
        first.kill()
        first.wait(PATIENCE_S)
    assert state(tmp_path) == "measuring"
    assert not list((home.models).glob("probes/*.json"))

    with home.fetcher() as second:
        wait_until(lambda: state(tmp_path) == "done")
        (kept,) = (home.models / "probes").iterdir()
        assert kept.suffix == ".json"
        seen = psutil.Process(second.pid)
        wait_until(lambda: "inference.downloads.bell" in seen.cmdline())

        kept.unlink()
        home.run("shell", "--no-imports", "-c", ASK)
        wait_until(lambda: bool(list((home.models / "probes").glob("*.json"))))
        assert second.poll() is None
