"""Between which models is switched and how often: the environment's wishes turned into one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.options import QUICK_MODEL, BadOption, find, flag
from inference.catalogue import ModelEntry

MODELS = ("smollm2-135m", "qwen2.5-coder-0.5b", "qwen2.5-coder-1.5b")
"""Those of the catalogue that can be fetched anywhere."""


@dataclass(frozen=True)
class Options:
    """A run. `quick`: between the smallest model and an altered copy of it."""

    models: tuple[ModelEntry, ...]
    switches: int
    quick: bool
    strict: bool


def from_environment(environ: Mapping[str, str]) -> Options:
    """Read MODELS (ids, separated by commas), SWITCHES, QUICK and STRICT; raises BadOption."""
    quick = flag(environ, "QUICK")
    named = [name.strip() for name in environ.get("MODELS", "").split(",") if name.strip()]
    models = tuple(find(name) for name in ([QUICK_MODEL] if quick else named or MODELS))
    if not quick and len(set(models)) < 2:
        raise BadOption(f"MODELS={environ.get('MODELS')}: two models are needed to switch between.")
    switches = _count(environ.get("SWITCHES", "").strip(), 5 if quick else 10)
    return Options(models, switches, quick, flag(environ, "STRICT"))


def _count(named: str, usual: int) -> int:
    if not named:
        return usual
    if not named.isdigit() or int(named) == 0:
        raise BadOption(f"SWITCHES={named}: a whole number above 0 is needed.")
    return int(named)
