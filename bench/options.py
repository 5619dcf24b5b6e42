"""What is measured and how much of it: the environment's wishes turned into one value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from inference.catalogue import CATALOGUE, DEFAULT_MODEL, TEST_FILES, ModelEntry

MEASURES = ("throughput", "restore", "yield", "pools", "cancel", "soak", "streams", "plan")
QUICK_MODEL = "smollm2-135m"
RESTORED_MODELS = (DEFAULT_MODEL, "qwen2.5-coder-0.5b", QUICK_MODEL, "gemma3-270m")
"""Restoring is shown for each, since it depends on what a model keeps of its past."""
PLANNED_MODELS = (DEFAULT_MODEL, "qwen2.5-coder-0.5b", QUICK_MODEL)
"""Those of the catalogue that come as packages."""


class BadOption(Exception):
    """The environment asks for something that there is not; the text says what."""


@dataclass(frozen=True)
class Sizes:
    """How much work each measure does. Tokens, repetitions, counts and seconds."""

    repetitions: int = 7
    prefill: int = 2048
    generate: int = 128
    prefix: int = 12_000
    restarts: int = 3
    study: int = 4096
    questions: int = 200
    rounds: int = 8
    turn: int = 1500
    cancels: int = 200
    soak_s: float = 30 * 60
    idle: int = 4096
    planned: int = 16_384
    filled: int = 16_384


QUICK = Sizes(
    repetitions=2,
    prefill=256,
    generate=16,
    prefix=600,
    restarts=1,
    study=1024,
    questions=8,
    rounds=2,
    turn=300,
    cancels=24,
    soak_s=15,
    idle=256,
    planned=4096,
    filled=256,
)
"""Seconds per measure: says that the benchmark works, and nothing about the machine."""


@dataclass(frozen=True)
class Options:
    """A run: the model that is measured, those that are restored or planned besides, and the measures by name."""

    model: ModelEntry
    restored: tuple[ModelEntry, ...]
    planned: tuple[ModelEntry, ...]
    measures: tuple[str, ...]
    sizes: Sizes
    quick: bool
    strict: bool
    threads: int


def from_environment(environ: Mapping[str, str], cores: int) -> Options:
    """Read MODEL, QUICK, ONLY, REPETITIONS, SOAK_MINUTES, THREADS and STRICT; raises BadOption."""
    quick = flag(environ, "QUICK")
    named = environ.get("MODEL", "").strip()
    model = find(named or (QUICK_MODEL if quick else DEFAULT_MODEL))
    alone = bool(named) or quick
    sizes = QUICK if quick else Sizes()
    if repetitions := environ.get("REPETITIONS", ""):
        sizes = replace(sizes, repetitions=round(_number("REPETITIONS", repetitions)))
    if minutes := environ.get("SOAK_MINUTES", ""):
        sizes = replace(sizes, soak_s=60 * _number("SOAK_MINUTES", minutes))
    return Options(
        model=model,
        restored=_and(model, () if alone else RESTORED_MODELS),
        planned=_and(model, () if alone else PLANNED_MODELS),
        measures=chosen(environ.get("ONLY", ""), MEASURES),
        sizes=sizes,
        quick=quick,
        strict=flag(environ, "STRICT"),
        threads=int(_number("THREADS", environ.get("THREADS") or str(cores))),
    )


def _and(model: ModelEntry, others: Sequence[str]) -> tuple[ModelEntry, ...]:
    return tuple(dict.fromkeys((model, *map(find, others))))


def find(model_id: str) -> ModelEntry:
    """Return a model of the catalogue or of the test files; raises BadOption."""
    known = {entry.id: entry for entry in (*CATALOGUE, *TEST_FILES)}
    if model_id not in known:
        raise BadOption(f"MODEL={model_id}: there is no such model. Known are {', '.join(known)}.")
    return known[model_id]


def chosen(named: str, measures: Sequence[str]) -> tuple[str, ...]:
    """Return the measures that ONLY= names, all without it, in their order; raises BadOption."""
    wanted = [name.strip() for name in named.split(",") if name.strip()]
    unknown = [name for name in wanted if name not in measures]
    if unknown:
        raise BadOption(f"ONLY={named}: {unknown[0]} is no measure. There are {', '.join(measures)}.")
    return tuple(name for name in measures if name in wanted or not wanted)


def flag(environ: Mapping[str, str], name: str) -> bool:
    """Tell whether a variable is set to anything but a no."""
    return environ.get(name, "").strip().lower() not in ("", "0", "no", "false")


def _number(name: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if value <= 0:
        raise BadOption(f"{name}={text}: a number above 0 is needed.")
    return value
