"""Keeping what a probe found, so that it is measured once for each model, library and machine."""

from __future__ import annotations

import hashlib
import json
import logging
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from inference.engine.plan import ALL_LAYERS
from inference.probe.rows import ROWS, Row

logger = logging.getLogger(__name__)

PROBES = "probes"
"""Folder of the measurements, beside the models."""

FORMAT = 1
"""Raised when what is measured, or how, changes."""


def probe_key(sha256: str, threads: int, *, swa_full: bool = True, gpu_layers: int = ALL_LAYERS) -> str:
    """Return the key of everything that a measurement depends on: model, flags, llama.cpp and machine."""
    facts = {
        "format": FORMAT,
        "model": sha256,
        "rows": [asdict(flags) for flags in ROWS],
        "swa_full": swa_full,
        "llama.cpp": version("llama-cpp-python"),
        "machine": platform.machine(),
        "node": platform.node(),
        "threads": threads,
        "gpu_layers": gpu_layers,
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()


def load(folder: Path, key: str) -> list[Row] | None:
    """Return the rows kept under a key; None when there are none, or none that can be read."""
    path = _path(folder, key)
    try:
        return [Row.from_json(row) for row in json.loads(path.read_text())["rows"]]
    except FileNotFoundError:
        return None
    except (OSError, ValueError, KeyError, TypeError) as error:
        logger.warning("The measurement %s cannot be read and is not used: %s", path, error)
        return None


def save(folder: Path, key: str, rows: Sequence[Row]) -> None:
    """Keep rows under a key, readable by their owner alone. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    draft = folder / f"{key[:32]}.{os.getpid()}.draft"
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump({"rows": [row.to_json() for row in rows]}, file)
    draft.replace(_path(folder, key))


def measured_at(folder: Path, key: str) -> float | None:
    """Return when what is kept under a key was measured, in seconds since the epoch; None when nothing is."""
    try:
        return _path(folder, key).stat().st_mtime
    except OSError:
        return None


def _path(folder: Path, key: str) -> Path:
    return folder / f"{key[:32]}.json"
