"""The state of the embedding model in the web process, for those who ask from another one."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path

import psutil

from inference.contracts import EngineState
from inference.embeddings.health import EmbeddingHealth
from inference.private import write_private

FILE_NAME = "embeddings.json"


def write(run_dir: Path, health: EmbeddingHealth) -> None:
    """Say how the model of this process is."""
    write_private(run_dir / FILE_NAME, json.dumps({**asdict(health), "pid": os.getpid()}))


def read(run_dir: Path) -> EmbeddingHealth | None:
    """Return what was said, or None when the process that said it is gone or a newer version wrote it."""
    try:
        data = json.loads((run_dir / FILE_NAME).read_text())
        if not psutil.pid_exists(data.pop("pid")):
            return None
        return EmbeddingHealth(**{**data, "state": EngineState(data["state"])})
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None
