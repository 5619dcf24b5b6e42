"""Measuring a model under each set of flags, in the process that calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from inference.engine.llama import Context, ContextSpec, Model, Piece
from inference.engine.plan import ALL_LAYERS, Flags
from inference.engine.simulation import costs_of
from inference.errors import EngineFault, ModelFailed
from inference.probe.rows import Row

PROMPT, ANSWER = 512, 24
"""Tokens read and written for one figure."""
ROUNDS = 2
"""Each row is measured this often, in turns, and its best speeds count: what else the machine does only slows."""
PROBE_WINDOW = 2048

Report = Callable[[int, int], None]
"""Takes the measurements done and those to do."""


@dataclass(frozen=True)
class Way:
    """How the model ships apart from the flags, and how often each row is measured."""

    spec: ContextSpec
    gpu_layers: int = ALL_LAYERS
    rounds: int = ROUNDS


def probe(path: Path, flags: Sequence[Flags], way: Way, report: Report) -> list[Row]:
    """Return a row for each of `flags`. Raises ModelFailed."""
    spec, rounds = way.spec, way.rounds
    rows = _costs(path, flags, spec)
    report(0, rounds * len(rows))
    model = Model(path, gpu_layers=way.gpu_layers)
    try:
        for number in range(rounds * len(rows)):
            index = number % len(rows)
            rows[index] = _timed(model, rows[index], spec)
            report(number + 1, rounds * len(rows))
    finally:
        model.free()
    return rows


def _costs(path: Path, flags: Sequence[Flags], spec: ContextSpec) -> list[Row]:
    rows = []
    for one in flags:
        try:
            rows.append(Row(one, costs_of(path, one.applied(spec))))
        except ModelFailed as error:
            rows.append(Row(one, error=error.message))
    return rows


def _timed(model: Model, row: Row, spec: ContextSpec) -> Row:
    """Return the row with the better of its speeds so far and those of one more run."""
    if row.costs is None:
        return row
    try:
        context = Context(model, row.flags.applied(replace(spec, window=PROBE_WINDOW, sequences=1)))
    except ModelFailed as error:
        return Row(row.flags, error=error.message)
    try:
        prefill, decode = _run(context)
    except EngineFault as error:
        return Row(row.flags, error=error.message)
    finally:
        context.free()
    return replace(row, prefill_tps=max(prefill, row.prefill_tps), decode_tps=max(decode, row.decode_tps))


def _run(context: Context) -> tuple[float, float]:
    """Return the tokens/s of reading a prompt and of writing behind it; which tokens they are makes no difference."""
    tokens = [index % context.model.n_vocab for index in range(PROMPT + ANSWER)]
    step = context.spec.ubatch
    context.decode([Piece(0, 0, tokens[:step], want_logits=True)])  # brings weights and cells into memory
    context.cut(0, 0)
    began = time.perf_counter()
    for at in range(0, PROMPT, step):
        context.decode([Piece(0, at, tokens[at : min(at + step, PROMPT)], want_logits=at + step >= PROMPT)])
    between = time.perf_counter()
    for at in range(PROMPT, PROMPT + ANSWER):
        context.decode([Piece(0, at, tokens[at : at + 1], want_logits=True)])
    return PROMPT / (between - began), ANSWER / (time.perf_counter() - between)
