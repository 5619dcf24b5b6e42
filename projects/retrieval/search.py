"""Searching a project by words and by meaning, as one ranking of passages that say each thing once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from inference import embeddings
from projects.models import Project, Section
from projects.retrieval import lexical
from projects.retrieval.fusion import fuse
from projects.retrieval.lexical.terms import terms_of
from projects.retrieval.meaning import Meaning, nearest
from projects.retrieval.passages import Passage
from projects.retrieval.stretches import Hit, gather

__all__ = ["Found", "Hit", "Mode", "find"]

DEPTH = 50
"""Chunks taken from each ranking. What stands below that in both would not come among the first with any fusion."""

Mode = Literal["words", "words and meaning"]


@dataclass(frozen=True)
class Found:
    """What a search gave, best first; `note` is a sentence for the person where it could not search by meaning."""

    hits: tuple[Hit, ...]
    mode: Mode
    note: str = ""

    @property
    def passages(self) -> tuple[Passage, ...]:
        return tuple(hit.passage for hit in self.hits)


def find(project_id: int, question: str, *, limit: int, documents: Collection[int] | None = None) -> Found:
    """Return at most `limit` passages for a question, from the answerable ones of `documents` (None: of the project).

    Chunks next to each other come as one passage, and nothing comes twice. Never waits for the embedding model: until
    it is ready the search is by words, and says so.
    """
    if not terms_of(question) or (documents is not None and not documents):
        return Found((), "words")
    by_words = lexical.search(project_id, question, DEPTH, documents)
    meaning = _meaning(project_id, question, documents)
    ranking = fuse([passage.chunk_id for passage in by_words], meaning.chunk_ids)
    known = _all_passages(by_words, meaning.chunk_ids)
    # A chunk whose document was removed in this very moment is in one of the rankings and not there any more.
    ranked = [(rank, known[rank.chunk_id]) for rank in ranking if rank.chunk_id in known]
    hits = tuple(gather(ranked, limit, _section_texts))
    return Found(hits, "words and meaning" if meaning.searched else "words", meaning.note)


def _meaning(project_id: int, question: str, documents: Collection[int] | None) -> Meaning:
    if embeddings.is_off() or not Project.objects.filter(pk=project_id, vectors=True).exists():
        return Meaning()  # by choice: nothing to be told
    return nearest(project_id, question, DEPTH, documents)


def _all_passages(by_words: Sequence[Passage], by_meaning: Sequence[int]) -> dict[int, Passage]:
    known = {passage.chunk_id: passage for passage in by_words}
    missing = [chunk_id for chunk_id in by_meaning if chunk_id not in known]
    return known | {passage.chunk_id: passage for passage in lexical.passages(missing)}


def _section_texts(section_ids: Sequence[int]) -> dict[int, str]:
    return dict(Section.objects.filter(pk__in=section_ids).values_list("pk", "text"))
