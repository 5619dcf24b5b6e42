"""Running pip with a line of progress that a person can follow, and putting its failures into one sentence."""

from __future__ import annotations

import platform
import queue
import re
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from inference.pip_output import says_no_network

REDRAW_S = 0.1
LINE_EVERY_S = 15.0
"""Time between two lines of progress where nothing can be overwritten."""
COMPILING = "compiling llama-cpp-python (about 4 minutes on 2 cores"

STEPS = (
    (r"Collecting ([\w.-]+)", "looking for {}"),
    (r"Downloading (?:\S*/)?([^\s/]+) \(([^)]+)\)", "downloading {} ({})"),
    (r"Building wheel for llama-cpp-python", COMPILING + ")"),
    (r"Building (?:wheel|editable) for ([\w.-]+)", "building {}"),
)


class PipFailed(Exception):
    """Pip ended with an error; the text says in one sentence why and what to do."""


class Progress:
    """What pip is doing, read off its verbose output line by line."""

    def __init__(self) -> None:
        self.text = "looking at what is needed"

    def feed(self, line: str) -> None:
        """Take one line of output; most lines change nothing."""
        line = line.strip()
        if step := re.match(r"\[(\d+)/(\d+)\] ", line):
            if self.text.startswith(COMPILING):
                self.text = f"{COMPILING}, step {step[1]} of {step[2]})"
        elif unpacking := re.match(r"Installing collected packages: (.+)", line):
            self.text = f"unpacking {len(unpacking[1].split(','))} packages"
        else:
            for pattern, text in STEPS:
                if match := re.match(pattern, line):
                    self.text = text.format(*match.groups())
                    return


class Display:
    """One line that is kept up to date on a terminal; elsewhere a line now and then."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._began = self._printed_at = time.monotonic()
        self._printed = ""

    def show(self, text: str) -> None:
        """Show what is going on now."""
        now = time.monotonic()
        starts_compiling = text.startswith(COMPILING) and not self._printed.startswith(COMPILING)
        if not starts_compiling and now - self._printed_at < (REDRAW_S if self._live else LINE_EVERY_S):
            return
        self._printed_at, self._printed = now, text
        minutes, seconds = divmod(int(now - self._began), 60)
        line = f"  {minutes}:{seconds:02d}  {text}"
        if self._live:
            self._stream.write("\r\x1b[K" + line[: shutil.get_terminal_size().columns - 1])
        else:
            self._stream.write(line + "\n")
        self._stream.flush()

    def close(self) -> None:
        """Wipe the terminal's line."""
        if self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()


def run_pip(command: list[str], log: Path) -> None:
    """Run a pip command, keep its whole output in `log`, and raise PipFailed when it fails."""
    progress, display = Progress(), Display(sys.stderr)
    with log.open("w", encoding="utf-8") as file:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        )
        for line in _lines(process):
            file.write(line)
            progress.feed(line)
            display.show(progress.text)
        display.close()
    if process.returncode:
        raise PipFailed(f"{explain(log.read_text(encoding='utf-8'))} The whole output is in {log}.")


def _lines(process: subprocess.Popen[str]) -> Iterator[str]:
    """Yield the output line by line until the process has ended, and an empty text in every second without any."""
    lines: queue.Queue[str | None] = queue.Queue()

    def pump() -> None:
        for line in process.stdout or ():
            lines.put(line)
        lines.put(None)

    with process:
        threading.Thread(target=pump, daemon=True).start()
        while True:
            try:
                line = lines.get(timeout=1.0)
            except queue.Empty:
                line = ""
            if line is None:
                return
            yield line


def explain(output: str) -> str:
    """Return why pip failed and what to do, from its output."""
    if "No space left on device" in output:
        return "The disk is full. Make room (4 GB are needed) and run it again."
    missing = re.findall(r"No matching distribution found for (\S+)", output)
    if says_no_network(output) and (missing or "ERROR: " in output):
        return "The package index cannot be reached. Check the network (or pip's proxy and index) and run it again."
    if missing:
        return (
            f"The package index has no {missing[-1]} for Python {platform.python_version()} on {platform.system()} "
            f"{platform.machine()}. Try another version of Python: make run PYTHON=python3.12"
        )
    if re.search(r"Failed (?:to build|building wheel for).*llama.cpp.python", output):
        return _explain_compiler(output)
    errors = re.findall(r"^\s*ERROR: (.+)$", output, re.MULTILINE)
    return f"Pip failed: {errors[-1] if errors else 'it gave no reason'}."


def _explain_compiler(output: str) -> str:
    if re.search(r"Killed signal|fatal error: Killed|out of memory", output):
        return (
            "The machine ran out of memory while compiling llama-cpp-python. "
            "Close other programs and run it again, one file at a time: CMAKE_BUILD_PARALLEL_LEVEL=1 make run"
        )
    errors = re.findall(r"(?:error|CMake Error[^:]*): (.+)", output)
    return f"llama-cpp-python could not be compiled: {errors[0].strip() if errors else 'no reason given'}."
