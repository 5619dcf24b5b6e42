"""Entry point of the benchmark of intake (`make bench-intake`): runs the measures, shows and writes the figures."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psutil

from bench.intake.options import Options, from_environment
from bench.intake.run import Intake, set_up
from bench.machine import cpu_model
from bench.options import BadOption
from bench.report import Figure, as_json, missed, table

RESULTS = Path(__file__).resolve().parents[2] / "bench-results"
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
        figures = measure(intake)
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(intake.folder, ignore_errors=True)
    print(f"\n{table(figures)}\n")
    for note in intake.notes:
        print(f"Note: {note}")
    print(f"Written to {write(intake, figures, load).relative_to(RESULTS.parent)}.")
    failures = missed(figures)
    print(f"{len(failures)} targets missed." if failures else "All targets are met.")
    return int(options.strict and bool(failures))


def measure(intake: Intake) -> list[Figure]:
    """Run the measures one after the other and tell how far it is."""
    figures: list[Figure] = []
    for name in intake.options.measures:
        began = time.monotonic()
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        figures += import_module(f"bench.intake.measures.{name}").run(intake)
        print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return figures


def write(intake: Intake, figures: Sequence[Figure], load: float) -> Path:
    """Write everything for machines to read; return the file."""
    run: dict[str, Any] = {
        "when": time.strftime("%Y-%m-%d"),
        "quick": intake.options.quick,
        "machine": {**_machine(), "load_before": round(load, 2)},
        "figures": as_json(figures),
        "notes": intake.notes,
    }
    path = RESULTS / _name(intake.options)
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    return path


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
