"""The promises that other benchmarks measure, taken from the results that they have left."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from bench.report import Figure

SOURCES = {
    "restart": ("study", "reading"),
    "live": ("study", "live"),
    "kills": ("study", "kills"),
    "throughput": ("engine", "throughput"),
}
"""Figures with promises about the whole, and the benchmark and its measure that takes them."""


def figures(results: Path, model: str) -> tuple[list[Figure], list[str]]:
    """Return the figures that are there for a model, and a sentence for each measure that is not."""
    found: list[Figure] = []
    notes: list[str] = []
    for name, (source, measure) in SOURCES.items():
        run = _run(results / f"{source}.json")
        theirs = [_figure(one, run) for one in run.get("figures", ()) if one["measure"] == name]
        promised = [figure for figure in theirs if figure.target is not None]
        if promised and run.get("model") == model:
            found += promised
        else:
            notes.append(f"Not measured with this model: make bench-{source} ONLY={measure}")
    return found, notes


def _run(path: Path) -> dict[str, Any]:
    try:
        run: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return run


def _figure(one: dict[str, Any], run: dict[str, Any]) -> Figure:
    detail = f"measured on {run['when']}; {one['detail']}".rstrip("; ")
    fields = ("measure", "name", "value", "unit", "target", "bound")
    return Figure(**{name: one[name] for name in fields}, detail=detail)
