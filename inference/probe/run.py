"""Running the probe in a process of its own, under the flags and the library that the service has."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from inference.errors import ModelFailed
from inference.probe.rows import Row

ROOT = Path(__file__).resolve().parents[2]


def run_probe(path: Path, say: Callable[[str], None], options: Sequence[str] = ()) -> list[Row]:
    """Measure a model and return its rows; `say` is told, a line at a time, how far it is. Raises ModelFailed.

    The process is gone when this returns or raises, whatever ended it: it holds a whole model.
    """
    command = [sys.executable, "-m", "inference.probe", "--model", str(path.resolve()), *options]
    environment = {**os.environ, "GGML_NO_BACKTRACE": "1", "PYTHONUNBUFFERED": "1"}
    pipe = subprocess.PIPE
    last = "no reason given"
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            for line in process.stderr or ():
                last = line.strip()
                say(last)
            # The rows are a few kilobytes, written in one go at the end: they wait in the pipe until then.
            output = process.stdout.read() if process.stdout else ""
        finally:
            process.kill()  # does nothing to a process that has ended
    if process.returncode:
        raise ModelFailed(f"The model could not be measured: {last.rstrip('.')}.")
    return [Row.from_json(row) for row in json.loads(output)["rows"]]
