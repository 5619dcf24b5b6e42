"""Whether a model fits this machine and with which window, known by its probe or estimated before it was ever run."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from inference.engine.budget import SMALLEST_WINDOW, WISHED_WINDOW, Costs, Curve
from inference.engine.machine import Machine
from inference.engine.plan import ALL_LAYERS, EXACT, Flags
from inference.errors import ModelFailed
from inference.fetch import stamp
from inference.gguf_check import check_header
from inference.gguf_header import Header
from inference.installed import LocalModel
from inference.probe import store
from inference.probe.rows import Row
from inference.tuning.outlook import Ground, outcome
from inference.tuning.overrides import Overrides

ESTIMATED_BUFFERS = 320 << 20
"""Bytes of a context beside its cells, before llama.cpp has been asked: what models with a large vocabulary need."""
BYTES_F16 = 2
AUTOMATIC = Overrides()


@dataclass(frozen=True)
class Fit:
    """What this machine can give a model: None and empty where nothing is known; `message` for a person.

    `read_tps` and `write_tps` are tokens a second, measured by a probe on this machine.
    """

    fits: bool | None = None
    window: int | None = None
    kv: str | None = None
    message: str = ""
    tight: bool = False
    read_tps: float | None = None
    write_tps: float | None = None


def fit_of(
    model: LocalModel, machine: Machine, probes: Path, *, active: bool = False, overrides: Overrides = AUTOMATIC
) -> Fit:
    """Return how a model fits under what is set for it.

    The active one holds its memory already, so what is free now says nothing about it.
    """
    if active:
        machine = replace(machine, available=machine.total)
    try:
        result = outcome(ground_of(model, machine, probes, overrides), overrides)
    except ModelFailed as error:
        return Fit(fits=False, message=error.message)
    if result.share is None:
        return Fit()
    fit = _fit(result.share.window, result.flags, tight=result.share.tight)
    return replace(fit, read_tps=result.row.prefill_tps, write_tps=result.row.decode_tps) if result.row else fit


def ground_of(model: LocalModel, machine: Machine, probes: Path, overrides: Overrides = AUTOMATIC) -> Ground:
    """Return what is known of a model under what is set for it. Raises ModelFailed for a file that is of no use.

    A file that was measured is not read again.
    """
    rows = measured_rows(model, probes, overrides.threads or machine.cores, overrides.gpu_layers)
    if rows:
        return Ground(machine, rows, next((row.costs for row in rows if row.flags == EXACT), None))
    return Ground(machine, (), _estimate(model))


def measured_rows(model: LocalModel, probes: Path, threads: int, gpu_layers: int | None = None) -> list[Row]:
    """Return what was measured of a model with so many threads, and layers on the graphics card; empty before that."""
    sha256 = stamp.remembered(model.path) if model.state == "installed" else None
    if not sha256:
        return []
    layers = ALL_LAYERS if gpu_layers is None else gpu_layers
    return store.load(probes, store.probe_key(sha256, threads, gpu_layers=layers)) or []


def trained_window(ground: Ground) -> int:
    """Return the tokens that a model was made for, 0 where nothing is known of it."""
    costs = next((row.costs for row in ground.rows if row.costs), ground.estimate)
    return costs.trained_window if costs else 0


def _fit(window: int, flags: Flags, *, tight: bool) -> Fit:
    message = "tight: close some programs" if tight else f"fits, window {window:,} tokens"
    return Fit(fits=True, window=window, kv=flags.kv, message=message, tight=tight)


def _estimate(model: LocalModel) -> Costs | None:
    """Return the costs by the catalogue, or by a file's header. Raises ModelFailed for a file that cannot be used."""
    if model.entry:
        return estimated_costs(model.bytes, model.entry.kv_bytes, model.entry.context_length)
    if model.state != "installed":
        return None
    status = model.path.stat()
    header = _header(model.path, status.st_size, status.st_mtime_ns)
    return estimated_costs(model.bytes, kv_bytes(header), int(header.of_model("context_length", WISHED_WINDOW)))


@lru_cache(maxsize=32)
def _header(path: Path, _size: int, _changed_ns: int) -> Header:
    """Return the header of a file in this state: a page that shows the models reads none of them twice."""
    return check_header(path)


def estimated_costs(size: int, kv: int, trained_window: int) -> Costs:
    """Return the costs of a model of `size` bytes whose cache takes `kv` bytes a token."""
    windows = (SMALLEST_WINDOW, WISHED_WINDOW)
    cache = Curve(tuple((window, kv * window) for window in windows))
    return Costs(size, cache, Curve(((SMALLEST_WINDOW, ESTIMATED_BUFFERS),)), trained_window)


def kv_bytes(header: Header) -> int:
    """Return the bytes of f16 cache for each token: keys and values of all heads of all layers."""
    layers = int(header.of_model("block_count", 0))
    heads = header.of_model("attention.head_count", 1)
    shared = header.of_model("attention.head_count_kv", heads)
    total = sum(shared) if isinstance(shared, list) else layers * int(shared)
    most = max(heads) if isinstance(heads, list) else int(heads)
    width = int(header.of_model("embedding_length", 0)) // max(1, most)
    sizes = int(header.of_model("attention.key_length", width)) + int(header.of_model("attention.value_length", width))
    return total * sizes * BYTES_F16
