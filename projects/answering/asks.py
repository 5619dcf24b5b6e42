"""Makes the requests of an answer: a question behind whole documents, or behind passages of them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Self

from projects.answering.listing import label
from projects.answering.prompt import assemble, quote_question, stated_question
from projects.answering.sources import of_document
from projects.answering.ways import Ask
from projects.models import Document
from projects.retrieval.passages import Passage
from study.keys import Learner
from study.prompts import document_boundary
from study.service import DocumentPrefix, document_prefix, remembered_of


@dataclass(frozen=True)
class Memory:
    """The model that can be asked, and the boundaries at which its state was kept."""

    learner: Learner
    boundaries: frozenset[str]

    @classmethod
    def of(cls, project_id: int, learner: Learner) -> Self:
        """Return what a model has in memory of a project."""
        return cls(learner, remembered_of(project_id, learner))

    def has(self, document_id: int) -> bool:
        """Tell whether the whole text of a document is in memory."""
        return document_boundary(document_id) in self.boundaries


def of_documents(
    documents: Collection[int], memory: Memory, question: str, check: str = "", *, labelled: bool = True
) -> tuple[tuple[Ask, ...], frozenset[int]]:
    """Return a request for each part of the documents, and the documents that have any.

    `check` is a second question for each, to be answered by Yes or No. `labelled`: answers are to say which it is.
    What is read here for the first time is kept. Raises InferenceError.
    """
    asks: list[Ask] = []
    asked: set[int] = set()
    known = Document.objects.in_bulk(documents)
    for document_id in documents:
        prefixes = _prefixes(document_id, memory.learner) if document_id in known else []
        labels = {document_id: label(document_id, known[document_id].name)} if labelled and prefixes else {}
        # Of a document that is read in parts only the last state would be found again.
        keep = document_id if len(prefixes) == 1 and not memory.has(document_id) else 0
        for prefix in prefixes:
            sources = of_document(known[document_id], prefix.pieces)
            asks.append(Ask(prefix.messages, question, sources, labels, check, keep))
            asked.add(document_id)
    return tuple(asks), frozenset(asked)


def of_passages(sources: Sequence[Passage], said: str, *, labelled: bool) -> Ask:
    """Return the request that asks passages for a quote and an answer; `said` as for documents."""
    passages = tuple(sources)
    return Ask(
        partial(assemble, passages),
        quote_question(said, "passages"),
        passages,
        _labels(passages) if labelled else {},
        check=stated_question(said),
    )


def _prefixes(document_id: int, learner: Learner) -> list[DocumentPrefix]:
    first = document_prefix(document_id, learner)
    if first is None:
        return []
    others = (document_prefix(document_id, learner, part) for part in range(1, first.parts))
    return [first, *(prefix for prefix in others if prefix is not None)]


def _labels(sources: Sequence[Passage]) -> dict[int, str]:
    named = {source.document_id: source.document for source in sources}
    return {document_id: label(document_id, name) for document_id, name in named.items()}
