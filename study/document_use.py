"""What was learned from one document, for those who answer: its summary, and its text as the model knows it."""

from __future__ import annotations

from dataclasses import dataclass

from inference.contracts import ChatMessage, Part
from study.document_steps import keys_of, reading_of
from study.keys import Learner
from study.models import DocumentSummary, SectionSummary
from study.pieces import Piece
from study.prompts import asking, document_boundary, document_parts
from study.texts import source


@dataclass(frozen=True)
class Summary:
    """The summary of a document, in `language` (ISO 639-1, empty if unsure), by the model of `model_key`."""

    document_id: int
    text: str
    language: str
    model_key: str


@dataclass(frozen=True)
class DocumentPrefix:
    """A document, or one part of a long one, as the study puts it before the model.

    `messages(question)` is the whole prompt; up to `boundary` it is token for token what the model has read if
    `is_read`, and its state there is on the disk if there was room. `pieces` have the numbers by which an answer cites,
    like [3]. `tokens` are those of the pieces.
    """

    document_id: int
    part: int
    parts: int
    boundary: str
    pieces: tuple[Piece, ...]
    content: tuple[Part, ...]
    tokens: int
    is_read: bool

    def messages(self, question: str) -> tuple[ChatMessage, ...]:
        """Return the prompt that asks a question at the end of the document."""
        return asking(self.content, question)


def summary_of(document_id: int, learner: Learner | None = None) -> Summary | None:
    """Return the summary of a document: by this learner, else the newest by any; None when there is none."""
    rows = DocumentSummary.objects.filter(document_id=document_id).order_by("-created")
    row = (learner and rows.filter(**learner.filter).first()) or rows.first()
    return Summary(document_id, row.text, row.language, row.model_key) if row and row.text else None


def document_prefix(document_id: int, learner: Learner, part: int = 0) -> DocumentPrefix | None:
    """Return a document as a prompt; None when it cannot be read, or has no such part or no text.

    Raises InferenceError when its tokens have yet to be counted and the model cannot be asked.
    """
    document = source().document(document_id)
    if document is None:
        return None
    reading = reading_of(document, learner)
    parts = reading.plan.parts
    if not reading.pieces or part >= len(parts):
        return None
    pieces = reading.pieces[parts[part].start : parts[part].stop]
    steps = [index for index, step in enumerate(reading.plan.steps) if step.part == part]
    read = SectionSummary.objects.filter(**keys_of(document, learner), step__in=steps).count()
    return DocumentPrefix(
        document_id,
        part,
        len(parts),
        document_boundary(document_id),
        pieces,
        document_parts(document, pieces, part, len(parts)),
        sum(reading.plan.steps[index].tokens for index in steps),
        is_read=reading.finished or read == len(steps),
    )
