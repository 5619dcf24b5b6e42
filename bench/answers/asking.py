"""The benchmark's side of the process that asks: questions in, records out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.answers.questions import Question
from bench.answers.records import Record
from bench.children import Child
from bench.study.installation import PROJECT


class Asking(Child):
    """A running asker; a context manager. Raises ChildDied from every call when it has died."""

    def __init__(self, home: Path) -> None:
        """Start it over an installation's data folder."""
        super().__init__("bench.answers.asker", (str(home), PROJECT), home / "asker.log")

    def answer(self, phase: str, question: Question, *, fresh: bool, record_id: str = "") -> Record:
        """Ask a question in a conversation of its own; `fresh` takes no answer from before."""
        history = [(said.question, said.answer) for said in question.history]
        told = self.ask(do="ask", question=question.text, history=history, fresh=fresh)
        return Record.of(told, phase=phase, id=record_id or question.id, question=question.text)

    def passages(self, question: str, limit: int) -> Sequence[dict[str, Any]]:
        """Return the passages that a search finds: document, page and text of each."""
        found: Sequence[dict[str, Any]] = self.ask(do="passages", question=question, limit=limit)["passages"]
        return found

    def is_ready(self) -> bool:
        """Tell whether searches give what they will give from now on."""
        return bool(self.ask(do="ready")["ready"])
