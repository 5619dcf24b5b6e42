"""Helper processes that are asked by one line of JSON and answer with one."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.service import ROOT

Handler = Callable[[dict[str, Any]], dict[str, Any]]


class ChildDied(Exception):
    """A helper process ended instead of answering; the text holds the end of its log."""


class Child:
    """A running `python -m MODULE`; a context manager. Its first answer (`hello`) says that it is ready."""

    def __init__(self, module: str, arguments: Sequence[str], log: Path) -> None:
        """Start the process and wait for its first line. Raises ChildDied."""
        self._log = log
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                [sys.executable, "-m", module, *arguments],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
        self.hello = self._read()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._process.terminate()
        self._process.wait()

    def ask(self, **question: Any) -> dict[str, Any]:
        """Return the answer to a question. Raises ChildDied."""
        if self._process.stdin is None:
            raise AssertionError("a child is started with pipes")
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return self._read()

    def _read(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            self._process.wait()
            raise ChildDied(" / ".join(self._log.read_text(errors="replace").splitlines()[-3:]))
        answer: dict[str, Any] = json.loads(line)
        return answer


def answer_lines(hello: dict[str, Any], handle: Handler) -> None:
    """Be the child: greet, then answer each line until the parent closes the pipe."""
    print(json.dumps(hello), flush=True)
    for line in sys.stdin:
        print(json.dumps(handle(json.loads(line))), flush=True)
