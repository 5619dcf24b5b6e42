"""Jobs of the queue: each takes ids, may run twice, and calls one function."""

from __future__ import annotations

from importlib.util import find_spec

from projects.intake.pipeline import ingest
from study.service import document_changed


def ingest_document(document_id: int) -> None:
    """Read one document and make it answerable, or say why not."""
    ingest(document_id)


def embed_document(document_id: int) -> None:
    """Make a document findable by its meaning."""
    if find_spec("projects.retrieval.vectors"):
        from projects.retrieval.vectors import embed_document as embed

        embed(document_id)


def learned(document_id: int) -> None:
    """Tell the study that a document has another text, or none any more."""
    document_changed(document_id)
