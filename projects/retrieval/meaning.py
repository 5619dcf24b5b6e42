"""The chunks of a project that are nearest to a question by meaning, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from inference import embeddings
from inference.contracts import EngineState
from inference.embeddings import EmbeddingFailed, EmbeddingHealth
from projects.models import VectorIndex
from projects.retrieval import indexes
from projects.retrieval.matrix import shelf

LOADING = "Searched by words alone: the model for search by meaning is still being loaded."
NOT_BUILT = "Searched by words alone: the documents are not indexed by meaning yet."
BUILDING = "Searched by words alone: {done:,} of {total:,} passages are indexed by meaning so far."
FAILED = "Searched by words alone: {cause}"
PARTLY = "{count} of the documents {are} not indexed by meaning yet and {were} searched by words alone."


@dataclass(frozen=True)
class Meaning:
    """Chunks by falling nearness; `searched` tells whether it was possible, `note` what a person should know."""

    chunk_ids: tuple[int, ...] = ()
    searched: bool = False
    note: str = ""


def nearest(project_id: int, question: str, limit: int, documents: Collection[int] | None) -> Meaning:
    """Search by meaning if the model is ready; if not, start loading it and say that it is not.

    Never waits for the model, and never takes a failure for 'nothing found'.
    """
    index = indexes.serving()
    health = warm_up(index)
    if health.state is EngineState.FAILED:
        return Meaning(note=FAILED.format(cause=health.message))
    if health.state is not EngineState.READY:
        return Meaning(note=LOADING)
    if index is None or not indexes.usable(index):
        return Meaning(note=_built_so_far())
    try:
        query = embeddings.embedder(index.model).embed_query(question)
    except EmbeddingFailed as error:
        return Meaning(note=FAILED.format(cause=error.message))
    found = shelf.of(index, project_id).nearest(query, limit, documents)
    return Meaning(tuple(found.chunk_ids), searched=True, note=_partly(len(found.incomplete)))


def warm_up(index: VectorIndex | None = None) -> EmbeddingHealth:
    """Start loading what searches need, unless it is there; return how the model is that questions are embedded by.

    That is the model of the index that serves. Where another one is configured, it is loaded as well, so that it is
    there when its index takes over.
    """
    if embeddings.is_off():
        return embeddings.state()
    index = index or indexes.serving()
    configured = embeddings.embedder()
    configured.warm_up()
    if index is None or index.model == configured.name or not indexes.usable(index):
        embeddings.release_others(configured.name)
        return configured.health()
    asked = embeddings.embedder(index.model)
    asked.warm_up()
    return asked.health()


def _built_so_far() -> str:
    progress = indexes.progress()
    return BUILDING.format(done=progress.done, total=progress.total) if progress.done else NOT_BUILT


def _partly(count: int) -> str:
    are, were = ("is", "was") if count == 1 else ("are", "were")
    return PARTLY.format(count=count, are=are, were=were) if count else ""
