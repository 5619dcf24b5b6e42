"""Running the probe in a process of its own, under the flags and the library that the service has."""

from __future__ import annotations

import json
import os
import queue
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from inference.errors import ModelFailed
from inference.probe.rows import Row

ROOT = Path(__file__).resolve().parents[2]


PROGRESS = re.compile(r"measured (\d+) of (\d+)")
LOOK_S = 0.5


def run_probe(
    path: Path,
    say: Callable[[str], None],
    options: Sequence[str] = (),
    look: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Measure a model and return its rows. Raises ModelFailed.

    `say` is told, a line at a time, how far it is (see `PROGRESS`); `look` is called at least every `LOOK_S`, and what
    it raises ends the measurement. The process is gone when this returns or raises, whatever ended it: it holds a
    whole model.
    """
    command = [sys.executable, "-m", "inference.probe", "--model", str(path.resolve()), *options]
    environment = {**os.environ, "GGML_NO_BACKTRACE": "1", "PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    last = "no reason given"
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        told = _Lines(process.stderr or ())
        try:
            for line in told.until_the_end(look):
                last = line
                say(last)
            # The rows are a few kilobytes, written in one go at the end: they wait in the pipe until then.
            output = process.stdout.read() if process.stdout else ""
        finally:
            process.kill()  # does nothing to a process that has ended
            told.join()
    if process.returncode:
        raise ModelFailed(f"The model could not be measured: {last.rstrip('.')}.")
    return [Row.from_json(row) for row in json.loads(output)["rows"]]


class _Lines(threading.Thread):
    """Reads lines as they come: a pipe cannot be waited for with a time limit everywhere."""

    def __init__(self, pipe: Iterable[str]) -> None:
        super().__init__(daemon=True)
        self._pipe = pipe
        self._lines: queue.Queue[str | None] = queue.Queue()
        self.start()

    def run(self) -> None:
        for line in self._pipe:
            self._lines.put(line.strip())
        self._lines.put(None)

    def until_the_end(self, look: Callable[[], None]) -> Iterator[str]:
        """Yield the lines until the other side has closed the pipe, and call `look` meanwhile."""
        while True:
            look()
            try:
                line = self._lines.get(timeout=LOOK_S)
            except queue.Empty:
                continue
            if line is None:
                return
            yield line
