"""The probe as a process (`python -m inference.probe --model FILE`): rows as JSON on stdout, progress on stderr."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from inference.engine.budget import WISHED_WINDOW
from inference.engine.llama import ContextSpec
from inference.engine.machine import this_machine
from inference.engine.plan import ALL_LAYERS
from inference.errors import InferenceError
from inference.probe.measure import ROUNDS, Way, probe
from inference.probe.rows import ROWS


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure one model under all flags; returns the exit code."""
    options = _parser().parse_args(arguments)
    spec = ContextSpec(options.window, threads=options.threads or this_machine().cores, swa_full=options.swa_full)
    try:
        rows = probe(options.model, ROWS, Way(spec, options.gpu_layers, options.rounds), _report)
    except InferenceError as error:
        sys.stderr.write(f"{error.message}\n")
        return 1
    sys.stdout.write(json.dumps({"rows": [row.to_json() for row in rows]}))
    return 0


def _report(done: int, total: int) -> None:
    sys.stderr.write(f"measured {done} of {total}\n")
    sys.stderr.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m inference.probe", description=__doc__)
    parser.add_argument("--model", type=Path, required=True, help="the GGUF file")
    parser.add_argument("--window", type=int, default=WISHED_WINDOW, help="largest window of interest, in tokens")
    parser.add_argument("--threads", type=int, default=0, help="0: one for each physical core")
    parser.add_argument("--gpu-layers", type=int, default=ALL_LAYERS, help="on the graphics card, if there is one")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="measurements of each row; the best counts")
    parser.add_argument(
        "--swa-full", action=argparse.BooleanOptionalAction, default=True, help="keep all of a sliding window"
    )
    return parser


if __name__ == "__main__":
    sys.exit(main())
