"""Jobs of the queue: each takes ids, may run twice, and calls one function."""

from __future__ import annotations

from projects.intake.pipeline import ingest
from projects.retrieval import vectors
from study.service import document_changed


def ingest_document(document_id: int) -> None:
    """Read one document and make it answerable, or say why not."""
    ingest(document_id, gives_way=True)


def embed_document(document_id: int) -> None:
    """Make a document findable by its meaning."""
    vectors.embed_document(document_id)


def build_index() -> None:
    """Make everything findable by its meaning that is not yet, by the embedding model of the settings."""
    vectors.build_index()


def learned(document_id: int) -> None:
    """Tell the study that a document has another text, or none any more."""
    document_changed(document_id)
