"""Tells the page of the embedding model how the vectors stand, and has them follow another choice."""

from __future__ import annotations

from inference import embeddings
from inference.embeddings import EmbeddingFailed
from inference.embeddings.indexing import Standing
from projects.models import VectorIndex
from projects.retrieval import indexes, vectors
from projects.retrieval.recipe import backend_key


class StoredVectors:
    """The vectors in the database. See `inference.embeddings.indexing.Indexing`."""

    def standing(self) -> Standing:
        """Return how they stand now."""
        serving = indexes.serving()
        if embeddings.is_off():
            return Standing()
        try:
            key = backend_key(embeddings.configured())
        except EmbeddingFailed:
            key = ""
        building = embeddings.configured() if serving is None or serving.key != key else ""
        row = VectorIndex.objects.filter(key=key).first() if building else serving
        done = row.vectors.count() if row else 0
        left = indexes.lacking(row).count() if row else indexes.wanting().count()
        name, dim = (serving.model, serving.dim) if serving else ("", 0)
        return Standing(name, dim, building if done or left else "", done, done + left)

    def follow(self) -> None:
        """Give up at once what is built for a model that is not chosen any more; put in line what is to be built."""
        if not embeddings.is_off():
            indexes.give_up_unwanted()
        vectors.catch_up()
