"""What of the study is measured and how much of it: the environment's wishes turned into one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.options import QUICK_MODEL, BadOption, chosen, find, flag
from inference.catalogue import DEFAULT_MODEL, ModelEntry

MEASURES = ("reading", "live", "kills")


@dataclass(frozen=True)
class Options:
    """A run. `corpus` is a folder of documents, None for reports of our own making; kills and questions are counts."""

    model: ModelEntry
    measures: tuple[str, ...]
    corpus: Path | None
    questions: int
    kills: int
    quick: bool
    strict: bool


def from_environment(environ: Mapping[str, str]) -> Options:
    """Read MODEL, CORPUS, ONLY, KILLS, QUICK and STRICT; raises BadOption."""
    quick = flag(environ, "QUICK")
    return Options(
        model=find(environ.get("MODEL", "").strip() or (QUICK_MODEL if quick else DEFAULT_MODEL)),
        measures=chosen(environ.get("ONLY", ""), MEASURES),
        corpus=_corpus(environ.get("CORPUS", "").strip()),
        questions=5 if quick else 40,
        kills=_count(environ.get("KILLS", "").strip(), 3 if quick else 30),
        quick=quick,
        strict=flag(environ, "STRICT"),
    )


def _corpus(named: str) -> Path | None:
    if not named:
        return None
    folder = Path(named).expanduser().resolve()
    if not any(folder.glob("*.pdf")):
        raise BadOption(f"CORPUS={named}: there is no PDF in this folder.")
    return folder


def _count(named: str, usual: int) -> int:
    if not named:
        return usual
    if not named.isdigit():
        raise BadOption(f"KILLS={named}: a whole number is needed.")
    return int(named)
