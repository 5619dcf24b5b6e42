"""What every benchmark does around its measures: runs them one by one, shows the figures, writes them as JSON."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from bench.report import Figure, as_json, missed, table

RESULTS = Path(__file__).resolve().parents[1] / "bench-results"


def measured(names: Iterable[str], measure: Callable[[str], Sequence[Figure]]) -> list[Figure]:
    """Return the figures of measures by name, and tell how far it is."""
    figures: list[Figure] = []
    for name in names:
        began = time.monotonic()
        print(f"{name} …", end=" ", file=sys.stderr, flush=True)
        figures += measure(name)
        print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    return figures


def write(name: str, about: dict[str, Any], figures: Sequence[Figure], notes: Sequence[str]) -> Path:
    """Write everything for machines to read; return the file."""
    run = {"when": time.strftime("%Y-%m-%d"), **about, "figures": as_json(figures), "notes": list(notes)}
    path = RESULTS / name
    path.write_text(json.dumps(run, indent=1, ensure_ascii=False) + "\n")
    return path


def show(figures: Sequence[Figure], notes: Sequence[str], written: Path) -> int:
    """Print the table and where it was written; return how many targets were missed."""
    print(f"\n{table(figures)}\n")
    for note in notes:
        print(f"Note: {note}")
    print(f"Written to {written.relative_to(RESULTS.parent)}.")
    failures = missed(figures)
    print(f"{len(failures)} targets missed." if failures else "All targets are met.")
    return len(failures)
