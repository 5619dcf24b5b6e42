"""Entry point of the benchmark (`make bench-engine`): runs the measures, shows the figures, writes them as JSON."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from bench.children import ChildDied
from bench.machine import describe
from bench.measures import cancel, plan, pools, restore, soak, streams, throughput, yielding
from bench.options import BadOption, Options, from_environment
from bench.report import Figure
from bench.run import Bench
from bench.running import RESULTS, measured, show, write
from bench.service import ServiceTrouble
from inference.catalogue import ModelEntry
from inference.engine.machine import this_machine
from inference.fetch import FetchError, ensure_installed
from inference.fetch.console import ConsoleReport
from ragsite.home import models_folder

MEASURES: dict[str, Callable[[Bench], list[Figure]]] = {
    "throughput": throughput.run,
    "restore": restore.run,
    "yield": yielding.run,
    "pools": pools.run,
    "cancel": cancel.run,
    "soak": soak.run,
    "streams": streams.run,
    "plan": plan.run,
}


def main() -> int:
    """Return 0, or 1 when something could not be measured or, with STRICT=1, a target was missed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as with Ctrl-C, with what was started
    try:
        options = from_environment(os.environ, this_machine().cores)
        bench = prepare(options)
        figures = measured(options.measures, lambda name: MEASURES[name](bench))
    except (BadOption, FetchError, ServiceTrouble, ChildDied) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    about = {
        "model": options.model.id,
        "quick": options.quick,
        "threads": options.threads,
        "machine": describe(),
    }
    failures = show(figures, bench.notes, write("engine.json", about, figures, bench.notes))
    return int(options.strict and bool(failures))


def prepare(options: Options) -> Bench:
    """Bring the models that the measures need. Raises FetchError for the measured one; others may be missing."""
    scratch = RESULTS / "scratch"
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    bench = Bench(options, {options.model.id: fetch(options.model)}, scratch)
    others = {"restore": options.restored, "plan": options.planned}
    wanted = [entry for measure, entries in others.items() if measure in options.measures for entry in entries]
    for entry in dict.fromkeys(wanted):
        try:
            bench.paths[entry.id] = fetch(entry)
        except FetchError as error:
            bench.notes.append(f"Only {options.model.id} was measured, not {entry.id}: {error}")
    return bench


def fetch(entry: ModelEntry) -> Path:
    """Return a model's file, fetched if it is not there. Raises FetchError."""
    report = ConsoleReport(sys.stderr, entry.id)
    try:
        return ensure_installed(entry, models_folder(), report)
    finally:
        report.close()


if __name__ == "__main__":
    sys.exit(main())
