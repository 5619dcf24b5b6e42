"""What of intake is measured and how much of it: the environment's wishes turned into one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.options import BadOption, chosen, flag

MEASURES = ("reading", "ocr", "embedding", "searching", "quality", "kills")


@dataclass(frozen=True)
class Sizes:
    """How much work each measure does: pages, chunks, questions, files, kills, repetitions."""

    pages: int = 300
    repetitions: int = 5
    scanned: int = 12
    embedded: int = 512
    chunks: int = 100_000
    questions: int = 200
    files: int = 120
    kills: int = 60


QUICK = Sizes(pages=12, repetitions=1, scanned=1, embedded=32, chunks=600, questions=10, files=6, kills=2)
"""Seconds for each measure: says that the benchmark works, and nothing about the machine."""


@dataclass(frozen=True)
class Options:
    """A run. `corpus` is a folder of documents with questions about them, None where none is given."""

    measures: tuple[str, ...]
    sizes: Sizes
    corpus: Path | None
    quick: bool
    strict: bool


def from_environment(environ: Mapping[str, str]) -> Options:
    """Read QUICK, ONLY, CORPUS and STRICT; raises BadOption."""
    quick = flag(environ, "QUICK")
    return Options(
        measures=chosen(environ.get("ONLY", ""), MEASURES),
        sizes=QUICK if quick else Sizes(),
        corpus=_corpus(environ.get("CORPUS", "").strip()),
        quick=quick,
        strict=flag(environ, "STRICT"),
    )


def _corpus(named: str) -> Path | None:
    if not named:
        return None
    folder = Path(named).expanduser().resolve()
    if not (folder / "questions.jsonl").is_file():
        raise BadOption(f"CORPUS={named}: there is no file questions.jsonl in this folder.")
    return folder
