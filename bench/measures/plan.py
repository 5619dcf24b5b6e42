"""Plan: a model's planned window against what its process really takes, for each model of the catalogue at hand."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.report import Figure
from bench.run import Bench
from bench.service import ROOT, ServiceTrouble
from bench.taking import Taking

CLOSE = 0.03
"""Share by which the planned cost of a token may be off."""


def run(bench: Bench) -> list[Figure]:
    """Carry out the plan of every model, one after the other."""
    window, fill = bench.options.sizes.planned, bench.options.sizes.filled
    figures: list[Figure] = []
    for entry in bench.options.planned:
        if entry.id not in bench.paths:
            continue  # a note says why
        flags = ["--window", str(min(window, entry.context_length)), "--threads", str(bench.options.threads)]
        with bench.workplace(f"plan-{entry.id}") as folder:
            figures += _figures(entry.id, taken(bench.paths[entry.id], folder, [*flags, "--fill", str(fill)]))
    return figures


def taken(model: Path, folder: Path, flags: Sequence[str]) -> Taking:
    """Return what a model takes in a process of its own. Raises ServiceTrouble."""
    command = [sys.executable, "-m", "bench.taking", "--model", str(model), "--run-dir", str(folder), *flags]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ServiceTrouble(f"The plan of {model.name} could not be carried out: {done.stderr.strip()[-300:]}")
    return Taking(**json.loads(done.stdout))


def _figures(model: str, taking: Taking) -> Iterator[Figure]:
    yield Figure(
        "plan",
        f"{model}: planned bytes a token, off from what they are",
        taking.worst,
        target=CLOSE,
        bound="at most",
        detail=(
            f"planned {taking.per_token:,.0f}; by llama.cpp's log {taking.per_token_log:,.0f}, by the process's "
            f"memory {taking.per_token_resident:,.0f}"
        ),
    )
    yield Figure(
        "plan",
        f"{model}: taken / planned, window {taking.window:,}, {taking.conversations} conversations",
        taking.taken / taking.planned,
        target=1.0,
        bound="at most",
        detail=(
            f"planned {taking.planned:,} bytes in all, taken {taking.taken:,} with {taking.filled:,} tokens read in "
            f"each pool; resident with the pages of the file that may go {taking.resident:,}"
        ),
    )
