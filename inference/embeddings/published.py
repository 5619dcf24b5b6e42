"""The state of the embedding model in the web process, for those who ask from another one."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from inference.contracts import EngineState
from inference.embeddings.health import EmbeddingHealth
from inference.identity import is_alive, own_identity
from inference.private import write_private

FILE_NAME = "embeddings.json"


def write(run_dir: Path, health: EmbeddingHealth) -> None:
    """Say how the model of this process is."""
    write_private(run_dir / FILE_NAME, json.dumps({**asdict(health), "process": own_identity()}))


def read(run_dir: Path) -> EmbeddingHealth | None:
    """Return what was said, or None when the process that said it is gone or a newer version wrote it."""
    try:
        data = json.loads((run_dir / FILE_NAME).read_text())
        if not is_alive(data.pop("process")):
            return None
        return EmbeddingHealth(**{**data, "state": EngineState(data["state"])})
    except (FileNotFoundError, ValueError, TypeError, KeyError):
        return None
