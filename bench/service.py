"""The real service as a process of its own, started and watched from outside as the supervisor does."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx
import psutil

from inference import endpoint
from inference.contracts import EngineState

ROOT = Path(__file__).resolve().parent.parent
START_S = 180.0
STOP_S = 60.0
MIB = 1024**2


class ServiceTrouble(Exception):
    """The service did not start or died; the text holds the end of its log."""


@dataclass(frozen=True)
class Flags:
    """How the service is started. `quota` in bytes; 0 keeps no snapshots."""

    model: Path
    window: int
    threads: int
    conversations: int = 4
    swa_full: bool = True
    quota: int = 0

    def arguments(self, run_dir: Path) -> list[str]:
        """Return the command line of `python -m inference.service`."""
        swa = "--swa-full" if self.swa_full else "--no-swa-full"
        options: dict[str, object] = {
            "--model": self.model,
            "--window": self.window,
            "--threads": self.threads,
            "--conversations": self.conversations,
            "--quota": self.quota,
            "--run-dir": run_dir,
        }
        return [swa, *(str(word) for option in options.items() for word in option)]


class Service:
    """A running service; a context manager. `folder` takes its endpoint file, its snapshots and its log."""

    def __init__(self, flags: Flags, folder: Path) -> None:
        """Start the process and wait until the model is loaded. Raises ServiceTrouble."""
        self.flags = flags
        self._run_dir = folder / "run"
        self._run_dir.mkdir(parents=True, exist_ok=True)
        self._log = folder / "service.log"
        command = [sys.executable, "-m", "inference.service", *flags.arguments(self._run_dir)]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
        try:
            self.where = self._wait_for_endpoint()
            self._wait_for_model()
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self) -> None:
        """End the process as the supervisor does; what it was saving gets written."""
        self._process.terminate()
        try:
            self._process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def count_tokens(self, text: str) -> int:
        """Return the tokens of a text under the loaded model, special tokens off."""
        return int(self._call("POST", "/tokenize", {"texts": [text]}).json()["counts"][0])

    def metrics(self) -> dict[str, float]:
        """Return what `/metrics` says, by name without the prefix."""
        lines = (line.split() for line in self._call("GET", "/metrics").text.splitlines())
        return {name.removeprefix("readahead_"): float(value) for name, value in lines}

    def memory_mib(self) -> float:
        """Return the resident memory of the process in MiB."""
        return float(psutil.Process(self._process.pid).memory_info().rss) / MIB

    def _call(self, method: str, path: str, body: object = None) -> httpx.Response:
        headers = {"Authorization": f"Bearer {self.where.key}"}
        with httpx.Client(base_url=self.where.url, headers=headers, timeout=30, trust_env=False) as client:
            return client.request(method, path, json=body).raise_for_status()

    def _wait_for_endpoint(self) -> endpoint.Endpoint:
        for _ in self._patience():
            published = endpoint.read(self._run_dir)
            if published is not None and published.pid == self._process.pid:
                return published
        raise ServiceTrouble(self._last_words())

    def _wait_for_model(self) -> None:
        for _ in self._patience():
            health = self._call("GET", "/health").json()
            if health["state"] == EngineState.READY:
                return
            if health["state"] == EngineState.FAILED:
                break
        raise ServiceTrouble(self._last_words())

    def _patience(self) -> Iterator[None]:
        deadline = time.monotonic() + START_S
        while time.monotonic() < deadline and self._process.poll() is None:
            yield
            time.sleep(0.02)

    def _last_words(self) -> str:
        return "The service did not start: " + " / ".join(self._log.read_text(errors="replace").splitlines()[-3:])
