"""Entry point of the benchmark of changing the model (`make bench-switch`): runs it, shows and writes the figures."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.machine import describe
from bench.options import BadOption
from bench.running import RESULTS, measured, show, write
from bench.study.installation import Installation, Trouble
from bench.switching.altered import altered_copy
from bench.switching.measure import NAME, figures_of, measure
from bench.switching.options import Options, from_environment
from inference.fetch import FetchError, ensure_installed
from inference.fetch.console import ConsoleReport
from ragsite.home import models_folder
from tests import stack
from tests.reports import REPORTS

SCRATCH = RESULTS / "scratch-switching"
"""The measured installation; it goes when all is measured."""


def main() -> int:
    """Return 0, or 1 when something could not be measured or, with STRICT=1, a target was missed."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # end as with Ctrl-C, with what was started
    try:
        options = from_environment(os.environ)
        models = prepare(options)
        installation = install(models, one_thread=options.quick)
        figures = measured([NAME], lambda _: figures_of(measure(installation, models, options.switches)))
    except (BadOption, FetchError, Trouble) as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        return 130
    finally:
        shutil.rmtree(SCRATCH, ignore_errors=True)
    notes = ["Reading ahead is paused, and search by meaning is off: what is measured is the change of the model."]
    about = {"models": models, "quick": options.quick, "machine": describe()}
    name = "switching-quick.json" if options.quick else "switching.json"  # a quick run overwrites no real one
    failures = show(figures, notes, write(name, about, figures, notes))
    return int(options.strict and bool(failures))


def prepare(options: Options) -> list[str]:
    """Bring the models, and return what they are called. Raises FetchError."""
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    paths = []
    for entry in options.models:
        report = ConsoleReport(sys.stderr, entry.id)
        try:
            paths.append(ensure_installed(entry, models_folder(), report))
        finally:
            report.close()
    names = [entry.id for entry in options.models]
    if options.quick:
        folder = SCRATCH / "models"
        folder.mkdir()
        shutil.copyfile(paths[0], folder / paths[0].name)
        names.append(altered_copy(paths[0], folder / "altered.gguf").stem)
        os.environ["READAHEAD_MODELS"] = str(folder)
    return names


def install(models: Sequence[str], *, one_thread: bool) -> Installation:
    """Return an installation with the first model chosen and some documents taken in.

    `one_thread`: the models compute with one, as a quick run is for machines that have other work.
    """
    os.environ["READAHEAD_EMBEDDINGS"] = "off"
    home, files = SCRATCH / "home", SCRATCH / "files"
    files.mkdir()
    for made in REPORTS:
        (files / made.file_name).write_bytes(made.file())
    stack.manage(home, "migrate")
    installation = Installation(home, "")  # no setting names the model: the choice does
    for model in models if one_thread else ():
        installation.manage("models", "settings", model, "--threads", "1")
    installation.manage("models", "activate", models[0])
    with installation:
        installation.add(_files(files), paused=True)
    return installation


def _files(folder: Path) -> list[Path]:
    return sorted(folder.iterdir())


if __name__ == "__main__":
    sys.exit(main())
