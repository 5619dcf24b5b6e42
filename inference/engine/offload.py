"""Whether the installed llama.cpp can compute on a graphics card."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from inference.engine.llama import library

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 60.0


@lru_cache(maxsize=1)
def supports_gpu() -> bool:
    """Tell whether it can; found out once, in a process of its own: pages need the answer and not the library."""
    command = [sys.executable, "-m", "inference.engine.offload"]
    environment = {**os.environ, "GGML_NO_BACKTRACE": "1"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        return bool(json.loads(done.stdout))
    except (ValueError, subprocess.TimeoutExpired):
        return False  # a library that does not even load computes on nothing


if __name__ == "__main__":
    sys.stdout.write(json.dumps(bool(library().llama_supports_gpu_offload())))
