"""Entry point of the benchmark of the study (`make bench-study`): runs the measures, shows and writes the figures."""

from __future__ import annotations

import os
import shutil
import signal
import sys

from bench.machine import describe
from bench.options import BadOption
from bench.running import RESULTS, measured, show, write
from bench.study.installation import Trouble
from bench.study.measures import MEASURES
from bench.study.options import Options, from_environment
from bench.study.run import Run
from inference.fetch import FetchError, ensure_installed
from inference.fetch.console import ConsoleReport
from ragsite.home import models_folder
from tests.reports import REPORTS

SCRATCH = RESULTS / "scratch-study"
"""The measured installations; they hold the documents' text, and go when all is measured."""


def main() -> int:
    """Return 0, or 1 when something could not be measured or, with STRICT=1, a target was missed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as with Ctrl-C, with what was started
    try:
        options = from_environment(os.environ)
        run = prepare(options)
        figures = measured(options.measures, lambda name: MEASURES[name](run))
    except (BadOption, FetchError, Trouble) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    about = {
        "model": options.model.id,
        "quick": options.quick,
        "files": len(run.files),
        "machine": describe(),
    }
    name = "study-quick.json" if options.quick else "study.json"  # a quick run overwrites no real one
    failures = show(figures, run.notes, write(name, about, figures, run.notes))
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


if __name__ == "__main__":
    sys.exit(main())
