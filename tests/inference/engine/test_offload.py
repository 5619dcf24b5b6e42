"""Whether there is a graphics card to compute on: asked of the library, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

from inference.engine import offload


@pytest.fixture(autouse=True)
def _nothing_remembered() -> Iterator[None]:
    offload.supports_gpu.cache_clear()
    yield
    offload.supports_gpu.cache_clear()


def test_the_library_itself_is_asked() -> None:
    script = "import json, llama_cpp; print(json.dumps(llama_cpp.llama_supports_gpu_offload()))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert offload.supports_gpu() is json.loads(done.stdout)


@pytest.mark.parametrize(("said", "expected"), [("true", True), ("false", False), ("", False)])
def test_a_library_that_does_not_load_computes_on_nothing(
    said: str, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = subprocess.CompletedProcess([], 0, said, "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: done)
    assert offload.supports_gpu() is expected
