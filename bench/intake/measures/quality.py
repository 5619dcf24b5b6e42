"""Quality: how often the right page of the right document is among the first passages that a question finds."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.intake.run import Intake
from bench.report import Figure
from projects.intake.batch import add_files
from projects.intake.pipeline import ingest
from projects.models import Document, Project
from projects.owner import local_owner
from projects.retrieval import lexical
from projects.retrieval.meaning import nearest
from projects.retrieval.passages import Passage
from projects.retrieval.search import find
from projects.retrieval.vectors import embed_document

FIRST = 5
TARGET = 0.95
NO_CORPUS = (
    "The quality of retrieval was not measured: name a folder of documents with a questions.jsonl "
    "(CORPUS=folder; docs/benchmarks.md has the format)."
)


@dataclass(frozen=True)
class Question:
    """A question whose answer stands on these pages of these documents, by file name."""

    text: str
    pages: dict[str, list[int]]

    def is_answered_by(self, passage: Passage) -> bool:
        """Tell whether a passage holds a page on which the answer stands."""
        wanted = self.pages.get(passage.document, [])
        last = passage.page_at(len(passage.text))
        return any((passage.page or 0) <= page <= (last or 0) for page in wanted)


def run(intake: Intake) -> list[Figure]:
    """Take the corpus in and ask its questions of each way of searching."""
    corpus = intake.options.corpus
    if corpus is None:
        intake.notes.append(NO_CORPUS)
        return []
    questions = specific((corpus / "questions.jsonl").read_text().splitlines())
    project = _taken_in(corpus)
    ways: dict[str, Callable[[str], Sequence[Passage]]] = {
        "by words alone": lambda text: lexical.search(project.pk, text, FIRST),
        "by meaning alone": lambda text: _by_meaning(project, text),
        "by both": lambda text: find(project.pk, text, limit=FIRST).passages,
    }
    return [_figure(intake, name, way, questions) for name, way in ways.items()]


def specific(lines: Iterable[str]) -> list[Question]:
    """Return the questions after one fact, from lines of JSON objects {kind, text, pages: {file name: [page]}}."""
    asked = [json.loads(line) for line in lines if line.strip()]
    return [Question(entry["text"], entry["pages"]) for entry in asked if entry["kind"] == "specific"]


def share_found(questions: Sequence[Question], way: Callable[[str], Sequence[Passage]]) -> tuple[float, list[str]]:
    """Return the share of questions whose page is among the first passages, and the others' texts."""
    missed = [
        question.text
        for question in questions
        if not any(question.is_answered_by(passage) for passage in list(way(question.text))[:FIRST])
    ]
    return 1 - len(missed) / len(questions), missed


def _figure(
    intake: Intake, name: str, way: Callable[[str], Sequence[Passage]], questions: Sequence[Question]
) -> Figure:
    share, missed = share_found(questions, way)
    if name != "by both":
        return Figure("quality", f"right page among the first {FIRST}, {name}", share)
    intake.notes.extend(f"Not among the first {FIRST} by both: {text}" for text in missed)
    found = f"{len(questions) - len(missed)} of {len(questions)} questions"
    return Figure("quality", f"right page among the first {FIRST}, {name}", share, "", TARGET, detail=found)


def _taken_in(corpus: Path) -> Project:
    project = Project.objects.create(owner=local_owner(), name="Corpus")
    files = sorted(path for path in corpus.iterdir() if path.is_file() and path.suffix != ".jsonl")
    for added in list(add_files(project, files)):
        if added.document_id is None:
            raise AssertionError(f"{added.name}: {added.error}")
        ingest(added.document_id)
        embed_document(added.document_id)
    unread = Document.objects.filter(project=project).exclude(state__in=Document.ANSWERABLE)
    if unread.exists():
        raise AssertionError(f"not read: {', '.join(unread.values_list('name', flat=True))}")
    return project


def _by_meaning(project: Project, text: str) -> list[Passage]:
    chunk_ids = nearest(project.pk, text, FIRST, None).chunk_ids
    known = {passage.chunk_id: passage for passage in lexical.passages(chunk_ids)}
    return [known[chunk_id] for chunk_id in chunk_ids]
