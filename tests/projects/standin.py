"""Readers that tests put in place of the real ones, in the process that opens a file."""

from __future__ import annotations

import sys

import pytest

from projects.intake.extract import isolated


def stand_in(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Run `script` in place of the child's own program."""
    monkeypatch.setattr(isolated, "COMMAND", (sys.executable, "-c", script))


def reader(body: str) -> str:
    """Return the script of a child whose reader is `def read(path, context)` with this body."""
    lines = body.replace("\n", "\n    ")
    return (
        "import os, time\nfrom pathlib import Path\nfrom projects.intake.extract import child\n"
        "from projects.intake.extract.base import *\n"
        f"def read(path, context):\n    {lines}\nchild.extract = read\nchild.main()"
    )
