"""Reading one document, a step at a time: a stretch with its summary, and in the end the summary of the whole."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from inference import gateway
from study import tasks
from study.asking import Question, Told, tell
from study.keys import Learner
from study.language import language_of
from study.models import DocumentSummary, Passport, ReadingPlan, SectionSummary
from study.pieces import Piece, pieces_of
from study.plan import Plan, fitting, plan, steps_done
from study.prompts import (
    DOCUMENT_ANSWER,
    OVERHEAD,
    SECTION_ANSWER,
    asking,
    document_boundary,
    document_parts,
    document_question,
    joining_parts,
    piece_text,
    section_question,
)
from study.sentences import first_sentence
from study.tasks import Claim, State
from study.texts import DocumentText

NO_TEXT = "There is nothing in it to read."
NOTHING_SUMMARISED = "No part of it could be summarised."
FIRST_SENTENCE = 300


@dataclass(frozen=True)
class Reading:
    """A document under one learner: its pieces, its plan, and the stretches that are summarised already."""

    document: DocumentText
    learner: Learner
    pieces: tuple[Piece, ...]
    plan: Plan
    total: int
    summaries: dict[int, SectionSummary]
    finished: bool

    @property
    def next_step(self) -> int | None:
        """The stretch that is to be read next; None when only the whole is left."""
        return next((index for index in range(len(self.plan.steps)) if index not in self.summaries), None)

    @property
    def keys(self) -> dict[str, Any]:
        """What the rows of this reading have in their columns."""
        return keys_of(self.document, self.learner)


def keys_of(document: DocumentText, learner: Learner) -> dict[str, Any]:
    """Return the columns that say what a row was learned from and by whom."""
    return {"document_id": document.document_id, "text_key": document.text_key, **learner.filter}


def reading_of(document: DocumentText, learner: Learner) -> Reading:
    """Return how the reading of a document stands. Raises InferenceError where its tokens must be counted first."""
    pieces = pieces_of(document)
    counts, window = _counts(document, learner, pieces)
    keys = keys_of(document, learner)
    return Reading(
        document,
        learner,
        pieces,
        plan(counts, window - OVERHEAD),
        sum(counts),
        {row.step: row for row in SectionSummary.objects.filter(**keys)},
        DocumentSummary.objects.filter(**keys).exists(),
    )


def _counts(document: DocumentText, learner: Learner, pieces: Sequence[Piece]) -> tuple[list[int], int]:
    """Return the tokens of the pieces and the window that they were planned for, counted once for each set of keys.

    A window that has changed since makes another plan, unless the document is begun: a plan must not change under it.
    """
    keys = keys_of(document, learner)
    row = ReadingPlan.objects.filter(**keys).first()
    if row is None:
        counts = gateway.count_tokens([piece_text(piece) for piece in pieces])
        row, _ = ReadingPlan.objects.get_or_create(**keys, defaults={"counts": counts, "window": learner.window})
    elif row.window != learner.window and not SectionSummary.objects.filter(**keys).exists():
        row.window = learner.window
        row.save(update_fields=["window"])
    return row.counts, min(row.window, learner.window)


def read_on(held: Claim, document: DocumentText, learner: Learner) -> None:
    """Do the next step of a document and store it with the checkpoint. Raises InferenceError and ClaimLost."""
    began = time.monotonic()
    reading = reading_of(document, learner)
    if reading.finished or not reading.pieces:
        _close(held, reading, error="" if reading.pieces else NO_TEXT)
        return

    def beat() -> None:
        tasks.renew(held, timezone.now())

    step = reading.next_step
    if reading.plan.is_single:
        _store_document(held, reading, _read_whole(reading, beat), began)
    elif step is not None:
        _store_section(held, reading, step, _read_stretch(reading, step, beat), began)
    elif any(row.text for row in reading.summaries.values()):
        _store_document(held, reading, _join(reading, beat), began)
    else:
        _close(held, reading, error=NOTHING_SUMMARISED, state=State.FAILED)


def give_up_on(held: Claim, document: DocumentText, learner: Learner, sentence: str) -> None:
    """Store that the next step cannot be done: a stretch is left out, the whole ends the task.

    Raises InferenceError.
    """
    reading = reading_of(document, learner)
    step = reading.next_step
    if reading.plan.is_single or step is None:
        _close(held, reading, error=sentence, state=State.FAILED)
        return
    _store_section(held, reading, step, None, time.monotonic(), sentence)


def _read_whole(reading: Reading, beat: Any) -> Told:
    document = reading.document
    parts = document_parts(document, reading.pieces)
    messages = asking(parts, document_question(_language(document)))
    return tell(Question(messages, DOCUMENT_ANSWER, document_boundary(document.document_id)), document.text, beat)


def _read_stretch(reading: Reading, index: int, beat: Any) -> Told:
    """Read one stretch behind all that comes before it in its part, and tell that stretch."""
    document, step = reading.document, reading.plan.steps[index]
    first = reading.plan.parts[step.part].start
    so_far = reading.pieces[first : step.last]
    parts = document_parts(document, so_far, step.part, len(reading.plan.parts))
    stretch = reading.pieces[step.first : step.last]
    question = section_question(stretch[0].number, stretch[-1].number, _language(document))
    boundary = document_boundary(document.document_id)
    return tell(Question(asking(parts, question), SECTION_ANSWER, boundary), document.text, beat)


def _join(reading: Reading, beat: Any) -> Told:
    document = reading.document
    texts = [row.text for _, row in sorted(reading.summaries.items()) if row.text]
    room = reading.learner.window - OVERHEAD
    shorter = [first_sentence(text, FIRST_SENTENCE) for text in texts]
    parts = joining_parts(document, fitting(texts, gateway.count_tokens(texts), shorter, room))
    messages = asking(parts, document_question(_language(document)))
    return tell(Question(messages, DOCUMENT_ANSWER), document.text, beat)


def _store_section(held: Claim, reading: Reading, index: int, told: Told | None, began: float, error: str = "") -> None:
    step = reading.plan.steps[index]
    pages = [piece.page for piece in reading.pieces[step.first : step.last] if piece.page is not None]
    row = SectionSummary(
        **reading.keys,
        step=index,
        page_start=min(pages, default=None),
        page_end=max(pages, default=None),
        text=told.text if told else "",
        error=error,
    )
    done = [*reading.summaries, index]
    with transaction.atomic():
        SectionSummary.objects.bulk_create([row], ignore_conflicts=True)
        tasks.settle(
            held,
            State.WAITING,
            error="",
            **_progress(reading, steps_done(reading.plan, done, finished=False), _tokens_of(reading, done)),
            **_spent(told, began),
        )


def _store_document(held: Claim, reading: Reading, told: Told, began: float) -> None:
    row = DocumentSummary(
        **reading.keys,
        text=told.text,
        language=_language(reading.document),
        dropped=told.dropped,
        tokens=reading.total,
    )
    with transaction.atomic():
        DocumentSummary.objects.bulk_create([row], ignore_conflicts=True)
        tasks.settle(
            held,
            State.DONE,
            error=_left_out(reading),
            **_progress(reading, reading.plan.total, reading.total),
            **_spent(told, began),
        )
        tasks.wake_digests(reading.document.project_id)


def _close(held: Claim, reading: Reading, *, error: str = "", state: State = State.DONE) -> None:
    with transaction.atomic():
        tasks.settle(held, state, error=error, **_progress(reading, reading.plan.total, reading.total))
        tasks.wake_digests(reading.document.project_id)


def _progress(reading: Reading, done: int, tokens_done: int) -> dict[str, Any]:
    return {
        "checkpoint": done,
        "steps": reading.plan.total,
        "tokens_done": tokens_done,
        "tokens_total": reading.total,
        "attempts": 0,
        "text_key": reading.document.text_key,
        **reading.learner.filter,
    }


def _spent(told: Told | None, began: float) -> dict[str, Any]:
    return {"tokens": F("tokens") + (told.read if told else 0), "seconds": F("seconds") + (time.monotonic() - began)}


def _tokens_of(reading: Reading, steps: Sequence[int]) -> int:
    return sum(reading.plan.steps[index].tokens for index in set(steps) if index < len(reading.plan.steps))


def _left_out(reading: Reading) -> str:
    """Return a sentence about the stretches without a summary, empty when there is none."""
    failed = [row for _, row in sorted(reading.summaries.items()) if row.error]
    if not failed:
        return ""
    return f"{len(failed)} of {len(reading.plan.steps)} parts could not be summarised: {failed[0].error}"


def _language(document: DocumentText) -> str:
    known = Passport.objects.filter(document_id=document.document_id).values_list("language", flat=True).first()
    return known or language_of(document.text)
