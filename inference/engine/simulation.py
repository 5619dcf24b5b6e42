"""What a model would take of the machine's memory, in llama.cpp's own figures and without taking it.

llama.cpp can build a model without weights and contexts without cells; it then says in its log what the real ones
would take. That costs milliseconds, holds for any window and any flags, and is what the real ones take to the byte
(tests/inference/engine/test_simulation.py). Under some flags, and over some damage, llama.cpp ends its process instead
of reporting an error, so `costs_of` asks in a process of its own.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from inference.engine.budget import SMALLEST_WINDOW, Costs, Curve
from inference.engine.llama import Context, ContextSpec, Model, log_tap
from inference.errors import ModelFailed

# 'llama_kv_cache: size =  224.00 MiB (  8192 cells,  28 layers,  4/1 seqs), K (f16): …': sequences and streams.
_CACHE = re.compile(r"^llama_\w+: size =\s*([\d.]+) MiB \(\s*(\d+) cells,\s*\d+ layers,\s*\d+(?:/(\d+))? seqs\)")
_BUFFER = re.compile(r"\b(?:compute|output) buffer size =\s*([\d.]+) MiB")
MIB = 1 << 20
ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Footprint:
    """Bytes of a context: its cells, and its buffers for computing.

    `cells` are those of the largest cache over all its streams (a model with a sliding window has a second one).
    """

    cache: int
    compute: int
    cells: int

    @property
    def per_token(self) -> float:
        """Bytes of cache for each token of window."""
        return self.cache / self.cells if self.cells else 0.0


def read_footprint(lines: Iterable[str]) -> Footprint:
    """Return what llama.cpp's log says about one context: every cache and every buffer is counted."""
    lines = list(lines)
    caches = [found for line in lines if (found := _CACHE.search(line))]
    buffers = [found for line in lines if (found := _BUFFER.search(line))]
    return Footprint(
        cache=sum(_bytes(found[1]) for found in caches),
        compute=sum(_bytes(found[1]) for found in buffers),
        cells=max((int(found[2]) * int(found[3] or 1) for found in caches), default=0),
    )


def measured(model: Model, spec: ContextSpec) -> tuple[Context, Footprint]:
    """Make a context and return it with what it took, or would take. Raises ModelFailed."""
    log_tap().take()
    context = Context(model, spec)
    return context, read_footprint(log_tap().take())


class Simulation:
    """A model without weights. `free` it before the real one is loaded."""

    def __init__(self, path: Path, *, gpu_layers: int = -1) -> None:
        """Read the file's header. Raises ModelFailed with llama.cpp's own reason."""
        self.model = Model(path, gpu_layers=gpu_layers, simulated=True)

    def footprint(self, spec: ContextSpec) -> Footprint:
        """Return what a context would take. Raises ModelFailed when it cannot be made under these flags."""
        context, footprint = measured(self.model, spec)
        context.free()
        return footprint

    def costs(self, spec: ContextSpec) -> Costs:
        """Return the costs under the flags of `spec`, for windows up to twice its own. Raises ModelFailed.

        The windows double, because the costs are not one straight line: the largest of several buffers counts, and a
        sliding window that is not kept whole stops growing. The smallest is far above the cells that llama.cpp makes
        whatever is asked.
        """
        windows = [SMALLEST_WINDOW]
        while windows[-1] < spec.window:
            windows.append(2 * windows[-1])
        steps = {window: self.footprint(replace(spec, window=window, sequences=1)) for window in windows}
        return Costs(
            weights=self.model.size,
            cache=Curve(tuple((window, step.cache) for window, step in steps.items())),
            compute=Curve(tuple((window, step.compute) for window, step in steps.items())),
            trained_window=self.model.trained_window,
        )

    def free(self) -> None:
        """Give the header's memory back."""
        self.model.free()


def costs_of(path: Path, spec: ContextSpec) -> Costs:
    """Return `Simulation(path).costs(spec)`, found out in a process of its own in less than a second.

    Raises ModelFailed with llama.cpp's own reason, also when it breaks down.
    """
    command = [sys.executable, "-m", "inference.engine.simulation", str(path.resolve()), json.dumps(asdict(spec))]
    environment = {**os.environ, "GGML_NO_BACKTRACE": "1"}
    try:
        done = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
        said = json.loads(done.stdout)
    except subprocess.TimeoutExpired as error:
        raise ModelFailed(f"llama.cpp did not finish reading {path.name} within {TIMEOUT_S:.0f} seconds.") from error
    except ValueError as error:
        raise ModelFailed(f"llama.cpp breaks down over {path.name} under these flags.") from error
    if "cause" in said:
        raise ModelFailed(said["cause"])
    return Costs.from_json(said["costs"])


def main(path: str, spec: str) -> None:
    """Answer `costs_of` on standard output; runs in the child."""
    try:
        simulation = Simulation(Path(path))
        said: dict[str, Any] = {"costs": simulation.costs(ContextSpec(**json.loads(spec))).to_json()}
    except ModelFailed as error:
        said = {"cause": error.message}
    sys.stdout.write(json.dumps(said))


def _bytes(mebibytes: str) -> int:
    return round(float(mebibytes) * MIB)


if __name__ == "__main__":
    main(*sys.argv[1:])
