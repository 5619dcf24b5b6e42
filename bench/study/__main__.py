"""Entry point of the benchmark of the study (`make bench-study`): runs the measures, shows and writes the figures."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.machine import describe
from bench.options import BadOption
from bench.report import Figure, as_json, missed, table
from bench.study.installation import Trouble
from bench.study.measures import MEASURES, Run
from bench.study.options import Options, from_environment
from inference.fetch import FetchError, ensure_installed
from inference.fetch.console import ConsoleReport
from ragsite.home import models_folder
from tests.reports import REPORTS

RESULTS = Path(__file__).resolve().parents[2] / "bench-results"
SCRATCH = RESULTS / "scratch-study"
"""The measured installations; they hold the documents' text, and go when all is measured."""


def main() -> int:
    """Return 0, or 1 when something could not be measured or, with STRICT=1, a target was missed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as with Ctrl-C, with what was started
    try:
        options = from_environment(os.environ)
        run = prepare(options)
        figures = measure(run)
    except (BadOption, FetchError, Trouble) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    print(f"\n{table(figures)}\n")
    for note in run.notes:
        print(f"Note: {note}")
    print(f"Written to {write(run, figures).relative_to(RESULTS.parent)}.")
    failures = missed(figures)
    print(f"{len(failures)} targets missed." if failures else "All targets are met.")
    return int(options.strict and bool(failures))


def prepare(options: Options) -> Run:
    """Bring the model and lay out the files. Raises FetchError."""
    folder = SCRATCH
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "files").mkdir(parents=True)
    report = ConsoleReport(sys.stderr, options.model.id)
    try:
        ensure_installed(options.model, models_folder(), report)
    finally:
        report.close()
    if options.corpus is not None:
        return Run(options, sorted(options.corpus.glob("*.pdf")), folder)
    for made in REPORTS:
        (folder / "files" / made.file_name).write_bytes(made.file())
    run = Run(options, sorted((folder / "files").iterdir()), folder)
    run.notes.append(
        "The documents are reports of our own making, too short to judge the cost by; name others: CORPUS="
    )
    return run


def measure(run: Run) -> list[Figure]:
    """Run the measures one after the other and tell how far it is."""
    figures: list[Figure] = []
    for name in run.options.measures:
        began = time.monotonic()
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        figures += MEASURES[name](run)
        print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return figures


def write(run: Run, figures: Sequence[Figure]) -> Path:
    """Write everything for machines to read; return the file. A quick run overwrites no real one."""
    data: dict[str, Any] = {
        "when": time.strftime("%Y-%m-%d"),
        "model": run.options.model.id,
        "quick": run.options.quick,
        "files": len(run.files),
        "machine": describe(),
        "figures": as_json(figures),
        "notes": run.notes,
    }
    path = RESULTS / ("study-quick.json" if run.options.quick else "study.json")
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
    return path


if __name__ == "__main__":
    sys.exit(main())
