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
    """A run. `corpus` is a folder of documents, None for reports of our own making; kills and questions are counts.

    `pause_s`: longest time between two live questions; each is drawn from 0 to this. `between_kills_s` is the same
    for kills, from when everything runs again: some steps are cut off, others are not.
    """

    model: ModelEntry
    measures: tuple[str, ...]
    corpus: Path | None
    questions: int
    pause_s: float
    kills: int
    between_kills_s: float
    quick: bool
    strict: bool


def from_environment(environ: Mapping[str, str]) -> Options:
    """Read MODEL, CORPUS, ONLY, QUESTIONS, KILLS, QUICK and STRICT; raises BadOption."""
    quick = flag(environ, "QUICK")
    return Options(
        model=find(environ.get("MODEL", "").strip() or (QUICK_MODEL if quick else DEFAULT_MODEL)),
        measures=chosen(environ.get("ONLY", ""), MEASURES),
        corpus=_corpus(environ.get("CORPUS", "").strip()),
        questions=_count(environ, "QUESTIONS", 5 if quick else 200),
        pause_s=0.1 if quick else 2.0,
        kills=_count(environ, "KILLS", 3 if quick else 30),
        between_kills_s=5.0 if quick else 30.0,
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


def _count(environ: Mapping[str, str], name: str, usual: int) -> int:
    named = environ.get(name, "").strip()
    if not named:
        return usual
    if not named.isdigit() or int(named) == 0:
        raise BadOption(f"{name}={named}: a whole number above 0 is needed.")
    return int(named)
