"""Entry point of the benchmark (`make bench-engine`): runs the measures, shows the figures, writes them as JSON."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bench.children import ChildDied
from bench.machine import describe
from bench.measures import cancel, pools, restore, soak, streams, throughput, yielding
from bench.options import BadOption, Options, from_environment
from bench.report import Figure, as_json, missed, table
from bench.run import Bench
from bench.service import ROOT, ServiceTrouble
from inference.catalogue import ModelEntry
from inference.engine.machine import this_machine
from inference.fetch import FetchError, ensure_installed
from inference.fetch.console import ConsoleReport
from ragsite.home import models_folder

RESULTS = ROOT / "bench-results"
MEASURES: dict[str, Callable[[Bench], list[Figure]]] = {
    "throughput": throughput.run,
    "restore": restore.run,
    "yield": yielding.run,
    "pools": pools.run,
    "cancel": cancel.run,
    "soak": soak.run,
    "streams": streams.run,
}


def main() -> int:
    """Return 0, or 1 when something could not be measured or, with STRICT=1, a target was missed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as with Ctrl-C, with what was started
    try:
        options = from_environment(os.environ, this_machine().cores)
        bench = prepare(options)
        figures = measure(bench)
    except (BadOption, FetchError, ServiceTrouble, ChildDied) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    print(f"\n{table(figures)}\n")
    for note in bench.notes:
        print(f"Note: {note}")
    print(f"Written to {write(bench, figures).relative_to(ROOT)}.")
    failures = missed(figures)
    print(f"{len(failures)} targets missed." if failures else "All targets are met.")
    return int(options.strict and bool(failures))


def prepare(options: Options) -> Bench:
    """Bring the models that the measures need. Raises FetchError for the measured one; others may be missing."""
    scratch = RESULTS / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    bench = Bench(options, {options.model.id: fetch(options.model)}, scratch)
    for entry in options.restored if "restore" in options.measures else ():
        try:
            bench.paths[entry.id] = fetch(entry)
        except FetchError as error:
            bench.notes.append(f"Nothing was restored with {entry.id}: {error}")
    return bench


def fetch(entry: ModelEntry) -> Path:
    """Return a model's file, fetched if it is not there. Raises FetchError."""
    report = ConsoleReport(sys.stderr, entry.id)
    try:
        return ensure_installed(entry, models_folder(), report)
    finally:
        report.close()


def measure(bench: Bench) -> list[Figure]:
    """Run the measures one after the other and tell how far it is."""
    figures: list[Figure] = []
    for name in bench.options.measures:
        began = time.monotonic()
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        figures += MEASURES[name](bench)
        print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return figures


def write(bench: Bench, figures: list[Figure]) -> Path:
    """Write everything for machines to read; return the file."""
    options = bench.options
    run: dict[str, Any] = {
        "when": time.strftime("%Y-%m-%d"),
        "model": options.model.id,
        "quick": options.quick,
        "threads": options.threads,
        "machine": describe(),
        "figures": as_json(figures),
        "notes": bench.notes,
    }
    path = RESULTS / "engine.json"
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    return path


if __name__ == "__main__":
    sys.exit(main())
