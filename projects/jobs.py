"""Jobs of the queue: each takes ids, may run twice, and calls one function."""

from __future__ import annotations

from projects.intake.pipeline import ingest


def ingest_document(document_id: int) -> None:
    """Read one document and make it answerable, or say why not."""
    ingest(document_id)
