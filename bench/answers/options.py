"""What of answering is measured and how much of it: the environment's wishes turned into one value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.answers.questions import FILE_NAME, OWN, Question, load, select
from bench.options import QUICK_MODEL, BadOption, chosen, find, flag
from inference.catalogue import DEFAULT_MODEL, ModelEntry

MEASURES = ("before", "restart", "questions", "classic")
QUICK_QUESTIONS = "6"
QUICK_OWN = "own-01,own-03,own-09,own-14"
"""Of our own set in a quick run, which has the first `QUICK_REPORTS` of our own reports."""
QUICK_REPORTS = 4


@dataclass(frozen=True)
class Options:
    """A run. `corpus` is a folder of documents with questions about them, None for our own.

    `early` counts the questions that are asked right after the documents were added.
    """

    model: ModelEntry
    measures: tuple[str, ...]
    corpus: Path | None
    questions: tuple[Question, ...]
    early: int
    quick: bool
    strict: bool
    resume: bool

    @property
    def name(self) -> str:
        """Name of the files with the results: a quick run overwrites no real one."""
        return "answers-quick" if self.quick else "answers"


def from_environment(environ: Mapping[str, str]) -> Options:
    """Read MODEL, CORPUS, ONLY, QUESTIONS, QUICK, RESUME and STRICT; raises BadOption."""
    quick = flag(environ, "QUICK")
    corpus = _corpus(environ.get("CORPUS", "").strip())
    questions = load(corpus / FILE_NAME if corpus else OWN)
    usual = (QUICK_QUESTIONS if corpus else QUICK_OWN) if quick else ""
    return Options(
        model=find(environ.get("MODEL", "").strip() or (QUICK_MODEL if quick else DEFAULT_MODEL)),
        measures=chosen(environ.get("ONLY", ""), MEASURES),
        corpus=corpus,
        questions=tuple(select(questions, environ.get("QUESTIONS", "").strip() or usual)),
        early=1 if quick else 5,
        quick=quick,
        strict=flag(environ, "STRICT"),
        resume=flag(environ, "RESUME"),
    )


def documents(folder: Path) -> list[Path]:
    """Return the files of a corpus that are documents."""
    return sorted(
        path for path in folder.iterdir() if path.is_file() and path.suffix != ".jsonl" and path.name[0] != "."
    )


def _corpus(named: str) -> Path | None:
    if not named:
        return None
    folder = Path(named).expanduser().resolve()
    if not (folder / FILE_NAME).is_file():
        raise BadOption(f"CORPUS={named}: there is no file {FILE_NAME} in this folder.")
    if not documents(folder):
        raise BadOption(f"CORPUS={named}: there is no document in this folder.")
    return folder
