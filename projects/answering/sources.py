"""What an answer may cite, by number: passages that were found, pieces of a document, or the documents of a digest."""

from __future__ import annotations

from collections.abc import Iterable

from projects.models import Document
from projects.retrieval.passages import Passage
from study.pieces import Piece
from study.service import DigestPrompt


def of_document(document: Document, pieces: Iterable[Piece]) -> tuple[Passage, ...]:
    """Return the pieces of a document as it stood before the model, in their order; the first has number 1."""
    return tuple(
        Passage(0, document.pk, document.name, "", piece.number - 1, piece.page, (), piece.text, "", 0.0)
        for piece in pieces
    )


def of_digest(digest: DigestPrompt) -> tuple[Passage, ...]:
    """Return the descriptions of a digest's documents in the order of their numbers.

    They are the study's words: an answer that rests on one cites the document, and quotes nothing.
    """
    return tuple(
        Passage(
            0, entry.document_id, entry.name, "", 0, None, (), f"{entry.name}\n{entry.facts}\n{entry.summary}", "", 0.0
        )
        for entry in digest.entries
    )
