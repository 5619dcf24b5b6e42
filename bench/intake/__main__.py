"""Entry point of the benchmark of intake (`make bench-intake`): runs the measures, shows and writes the figures."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from bench.intake.options import Options, from_environment
from bench.intake.run import Intake, set_up
from bench.machine import cpu_model
from bench.options import BadOption
from bench.report import Figure
from bench.running import RESULTS, measured, show, write

LIBRARIES = ("django", "pypdfium2", "rapidocr", "sentence-transformers", "torch")


def main() -> int:
    """Return 0, or 1 when an option makes no sense or, with STRICT=1, a target was missed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as with Ctrl-C, with what was started
    try:
        options = from_environment(os.environ)
    except BadOption as error:
        print(error, file=sys.stderr)
        return 1
    intake = Intake(options, _scratch())
    load = os.getloadavg()[0]
    try:
        set_up(intake.folder / "home")
        figures = measured(options.measures, lambda name: _measure(name, intake))
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(intake.folder, ignore_errors=True)
    about = {"quick": options.quick, "machine": {**_machine(), "load_before": round(load, 2)}}
    failures = show(figures, intake.notes, write(_name(options), about, figures, intake.notes))
    return int(options.strict and bool(failures))


def _measure(name: str, intake: Intake) -> list[Figure]:
    """Run one measure; its module, and what that loads, are imported for it."""
    figures: list[Figure] = import_module(f"bench.intake.measures.{name}").run(intake)
    return figures


def _name(options: Options) -> str:
    """Return the file's name: a quick run says nothing about the machine and overwrites no real one."""
    return "intake-quick.json" if options.quick else "intake.json"


def _scratch() -> Path:
    folder = RESULTS / "scratch-intake"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _machine() -> dict[str, Any]:
    return {
        "cpu": cpu_model(),
        "threads": os.cpu_count(),
        "ram_gb": round(psutil.virtual_memory().total / 1024**3, 1),
        "sqlite": sqlite3.sqlite_version,
        **{name: version(name) for name in LIBRARIES},
    }


if __name__ == "__main__":
    sys.exit(main())
