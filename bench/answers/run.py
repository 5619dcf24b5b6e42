"""One run over an installation of its own: ask, read ahead, restart, ask again, and prompt plainly beside it."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.answers.asking import Asking
from bench.answers.classic import PHASE as CLASSIC
from bench.answers.classic import Classic, count_tokens
from bench.answers.options import Options
from bench.answers.questions import Question
from bench.answers.records import Book, Record
from bench.study.installation import PROJECT, Installation

ABOUT = Question("about", "What are these documents about?", "broad")
"""The question that people ask first."""
AGAIN = "-again"
ANEW = "-anew"


@dataclass
class Run:
    """A run: its options, the documents, a folder for the installation, what it writes down, and notes for readers.

    `texts` are those of the documents by name, once they have been taken in.
    """

    options: Options
    files: Sequence[Path]
    folder: Path
    book: Book
    notes: list[str] = field(default_factory=list)
    texts: Mapping[str, str] = field(default_factory=dict)
    estimate: dict[str, Any] = field(default_factory=dict)

    @property
    def early(self) -> list[Question]:
        """The questions that are asked right after the documents were added."""
        specific = [question for question in self.options.questions if question.kind == "specific"]
        return [*specific[: self.options.early], ABOUT]

    @property
    def plain(self) -> list[Question]:
        """The questions that are asked plainly: the set, and the first question of all unless it is in there."""
        asked = any(question.text == ABOUT.text for question in self.options.questions)
        return [*self.options.questions, *([] if asked else [ABOUT])]

    def steps(self) -> dict[str, list[str]]:
        """Return the records that each measure makes."""
        ids = [question.id for question in self.options.questions]
        first = [ABOUT.id, ABOUT.id + AGAIN, ABOUT.id + ANEW]
        repeated = [question.id + AGAIN for question in self.early[:1] if question is not ABOUT]
        steps = {
            "before": [question.id for question in self.early],
            "restart": first,
            "questions": [*ids, *repeated],
            CLASSIC: [question.id for question in self.plain],
        }
        return {name: self.book.lacks(name, steps[name]) for name in self.options.measures}


def measure(run: Run) -> None:
    """Ask everything that has no answer in the book yet. Raises Trouble, ChildDied."""
    here = Installation(run.folder, run.options.model.id)
    left = run.steps()
    try:
        here.start()
        here.add(run.files, paused=True)
        run.texts = here.texts()
        run.book.learn(corpus_tokens=sum(count_tokens(here.service, list(run.texts.values()))))
        if left.get("before"):
            _before(run, here)
        if left.get("restart") or left.get("questions"):
            _read_ahead(run, here)
            here.stop()
            here.start()
            _after(run, here, left)
            run.estimate = here.manage("estimate", PROJECT)
        if left.get(CLASSIC):
            _classic(run, here, left[CLASSIC])
    finally:
        here.stop()


def _before(run: Run, here: Installation) -> None:
    """Ask while nothing has been read ahead."""
    with Asking(here.home) as asking:
        for question in run.early:
            _note(run, asking.answer("before", question, fresh=True))


def _read_ahead(run: Run, here: Installation) -> None:
    began = time.monotonic()
    here.manage("study", "resume")
    here.until(here.is_read, "all is read")
    read = here.rows("SELECT SUM(tokens) FROM study_studytask")[0][0]
    run.book.learn(study_s=time.monotonic() - began, study_tokens=read)


def _after(run: Run, here: Installation, left: Mapping[str, list[str]]) -> None:
    """Ask the first question after a restart as a person does, again, and for an answer made anew; then the set."""
    with Asking(here.home) as asking:
        if left.get("restart"):
            _note(run, asking.answer("restart", ABOUT, fresh=False))
            _note(run, asking.answer("restart", ABOUT, fresh=False, record_id=ABOUT.id + AGAIN))
            _note(run, asking.answer("restart", ABOUT, fresh=True, record_id=ABOUT.id + ANEW))
        if left.get("questions"):
            here.until(asking.is_ready, "searches are by meaning too")
        for question in run.options.questions:
            if question.id in left.get("questions", ()):
                # As a person asks: nobody has put these words before, but what was prepared for them may be told.
                _note(run, asking.answer("questions", question, fresh=False))
        for question in run.early[:1]:
            if question.id + AGAIN in left.get("questions", ()):
                asking.answer("questions", question, fresh=False)
                _note(run, asking.answer("questions", question, fresh=False, record_id=question.id + AGAIN))


def _classic(run: Run, here: Installation, left: Sequence[str]) -> None:
    with Asking(here.home) as asking:
        here.until(asking.is_ready, "searches are by meaning too")
        classic = Classic(here.service, run.texts, asking)
        for question in run.plain:
            if question.id in left:
                _note(run, asyncio.run(classic.answer(question)))


def _note(run: Run, record: Record) -> None:
    """Write an answer down and show that it came; what it says is for the file alone."""
    run.book.add(record)
    how = record.error or f"{record.lane}, {record.read_tokens} tokens read"
    print(f"{record.phase}: {record.id}, {how}, {record.seconds:.1f} s", file=sys.stderr, flush=True)
