"""Readahead as a person runs it, over a folder of its own: started, asked by its commands, killed, looked into."""

from __future__ import annotations

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import httpx

from bench.service import ROOT
from inference import endpoint
from inference.supervise import processes
from inference.supervise.processes import Mark

PATIENCE_S = 3600.0
POLL_S = 0.2
PROJECT = "Measured"


class Trouble(Exception):
    """Readahead did not do what was waited for; the text says what."""


class Installation:
    """One data folder with the processes over it; as a context manager it runs within, and no longer."""

    def __init__(self, home: Path, model: str) -> None:
        self.home = home
        home.mkdir(parents=True, exist_ok=True)
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self._environment = {
            **os.environ,
            "READAHEAD_HOME": str(home),
            "READAHEAD_MODEL": model,
            "READAHEAD_STUDY_ON_BATTERY": "1",
            "PORT": str(self.port),
        }
        self._up: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        """Start. Raises Trouble."""
        try:
            self.start()
        except BaseException:  # an interruption of the wait included
            self.stop()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Start everything and wait until the model can be asked. Raises Trouble."""
        with (self.home / "up.log").open("ab") as log:
            command = [sys.executable, "manage.py", "up"]
            self._up = subprocess.Popen(command, cwd=ROOT, env=self._environment, stdout=log, stderr=log)
        self.until(self.is_up, "everything runs")

    def is_up(self) -> bool:
        """Tell whether all parts run and the model can be asked."""
        return bool(self._health().get("status") == "ok")

    def is_quiet(self) -> bool:
        """Tell whether no job of intake waits or runs, such as making vectors."""
        jobs = self._health().get("queue", {})
        return bool(jobs.get("waiting") == jobs.get("running") == 0)

    def stop(self) -> None:
        """Stop everything as a person does."""
        if self._up is not None:
            self._up.send_signal(signal.SIGTERM)
            self._up.wait()

    def kill(self, child: str) -> None:
        """Kill a child with all its processes, or with an empty name everything, and start what nobody else starts."""
        if not child and self._up is not None:
            self._up.kill()
            self._up.wait()
        processes.kill_all(Mark(self.home / "run", child=child))
        if not child:
            self.start()

    def manage(self, *words: str, check: bool = True) -> dict[str, Any]:
        """Run a command with `--json` and return what it says. Raises Trouble."""
        command = [sys.executable, "manage.py", *words, "--json"]
        done = subprocess.run(command, cwd=ROOT, env=self._environment, capture_output=True, text=True, check=False)
        if check and done.returncode:
            raise Trouble(f"manage.py {words[0]} ended with {done.returncode}: {done.stderr.strip()[-500:]}")
        answer: dict[str, Any] = json.loads(done.stdout or "{}")
        return answer

    def is_settled(self) -> bool:
        """Tell whether the web process has loaded the search by meaning, or will not."""
        return self._health().get("embeddings", {}).get("state") in ("READY", "FAILED")

    def open_desk(self) -> None:
        """Get the project's page, as a browser does; it makes the web process load what questions need."""
        page = f"http://127.0.0.1:{self.port}/projects/{self.project_id}/"
        httpx.get(page, timeout=60, trust_env=False).raise_for_status()

    def _health(self) -> dict[str, Any]:
        """Return what the web process says of all parts, nothing while it does not answer."""
        try:
            return dict(httpx.get(f"http://127.0.0.1:{self.port}/health/", timeout=10, trust_env=False).json())
        except (httpx.HTTPError, ValueError):
            return {}

    def until(self, held: Callable[[], bool], what: str) -> float:
        """Wait until something holds; return the seconds. Raises Trouble."""
        began = time.monotonic()
        while not held():
            if time.monotonic() - began > PATIENCE_S:
                raise Trouble(f"Waited in vain until {what}.")
            time.sleep(POLL_S)
        return time.monotonic() - began

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Return what the database says."""
        with closing(sqlite3.connect(self.home / "db.sqlite3", timeout=60)) as database:
            return database.execute(query).fetchall()

    def add(self, files: Sequence[Path], *, paused: bool) -> None:
        """Take files in, up to being searchable; reading ahead begins then unless it is paused."""
        if paused:
            self.manage("study", "pause")
        self.manage("ingest", PROJECT, *map(str, files), "--wait", "indexed")
        waiting = "SELECT COUNT(*) FROM study_studytask WHERE kind = 'document'"
        self.until(lambda: self.rows(waiting)[0][0] >= len(files), "the study knows the documents")

    @property
    def project_id(self) -> int:
        """The project with the documents."""
        return int(self.rows("SELECT id FROM projects_project")[0][0])

    def texts(self) -> dict[str, str]:
        """Return the documents' texts by name."""
        texts: dict[str, list[str]] = {}
        query = (
            "SELECT d.name, s.text FROM projects_section s JOIN projects_document d ON d.id = s.document_id "
            "ORDER BY d.id, s.ordinal"
        )
        for name, text in self.rows(query):
            texts.setdefault(name, []).append(text)
        return {name: "\n\n".join(parts) for name, parts in texts.items()}

    def is_read(self) -> bool:
        """Tell whether all is read and drawn together."""
        return not self.rows("SELECT 1 FROM study_studytask WHERE state IN ('waiting', 'running')")

    @property
    def service(self) -> endpoint.Endpoint:
        """Where the model service is. Raises Trouble."""
        found = endpoint.read(self.home / "run")
        if found is None:
            raise Trouble("The model service is not running.")
        return found


class Metrics:
    """The counters and gauges of one model service, by name without the prefix."""

    def __init__(self, where: endpoint.Endpoint) -> None:
        headers = {"Authorization": f"Bearer {where.key}"}
        self._http = httpx.Client(base_url=where.url, headers=headers, timeout=30, trust_env=False)

    def now(self) -> dict[str, float]:
        """Return all of them."""
        lines = self._http.get("/metrics").raise_for_status().text.splitlines()
        pairs = (line.rsplit(" ", 1) for line in lines)
        return {name.removeprefix("readahead_"): float(value) for name, value in pairs}
