"""Takes a document through its stages, from its stored bytes to an answerable state."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from django.db import transaction
from django.utils import timezone

from inference import gateway
from inference.errors import InferenceError
from projects.intake import indexing, kept, store, unpacked
from projects.intake.attachments import add_attachments
from projects.intake.chunking import chunks_of
from projects.intake.claim import Claim, ClaimLost, take
from projects.intake.erasure import erase, forget_text
from projects.intake.extract import Context, Extraction, ExtractionError, PasswordNeeded
from projects.intake.extract.isolated import ReadingStopped, Watcher, extract_isolated
from projects.intake.giving_way import Turn
from projects.intake.sections import SectionText, sections_of
from projects.models import Document
from study.passports.service import forget as forget_passport
from study.passports.service import make_passport
from study.queue import JobTimedOut, enqueue

logger = logging.getLogger(__name__)

PARTS_AT_ONCE = 4
"""Parts of a document that are written in one transaction, a second or so; nobody else can write meanwhile."""
MOST_STARTS = 3
"""Readings that may be cut off by a crash or a stop before the file is taken to be the cause; see `recovery`."""

TOO_LONG = "Indexing this file took too long and was given up. Split it, and add the parts."
CUT_OFF = f"Reading this file was cut off {MOST_STARTS} times, by a crash or a stop. Read it again, or split it up."
FAULT = "A fault in Readahead kept it from reading this file; its log has the details."

INGEST_JOB = "projects.jobs.ingest_document"
EMBED_JOB = "projects.jobs.embed_document"
LEARN_JOB = "projects.jobs.learned"

State = Document.State


def ingest(document_id: int, *, gives_way: bool = False) -> None:
    """Read a document, index it and leave it in a final state; a document that is gone or final is left alone.

    Safe to run again after a kill at any point: it starts over, and what a run writes it writes in one transaction
    together with the state that makes it visible. Every step asks whether the document is still this run's, so of two
    runs at once one finishes and the other stops, and one that nobody wants any more stops within a second.
    With `gives_way` a long reading goes to the end of the line now and then, and is taken up by a job of its own.
    """
    claim = take(document_id)
    if claim is None:
        return
    try:
        _run(claim, gives_way)
    except ReadingStopped:
        _give_way(claim)
    except (ClaimLost, Document.DoesNotExist):
        logger.info("document %s was taken from its reader", document_id)
        _drop_half_written(document_id)
    except PasswordNeeded as error:
        _fail(claim, State.NEEDS_PASSWORD, error.message)
    except ExtractionError as error:
        _fail(claim, State.FAILED, error.message)
    except JobTimedOut:  # no Exception, and the queue forgets the job: nobody else would close the document
        logger.warning("document %s took longer than a job may", document_id)
        _fail(claim, State.FAILED, TOO_LONG)
    except Exception:  # one file must not take the queue with it, whatever its reader stumbles over
        logger.exception("reading document %s failed", document_id)
        _fail(claim, State.FAILED, FAULT)
    finally:
        kept.remove_unless_unfinished(document_id)


def _run(claim: Claim, gives_way: bool) -> None:
    document = Document.objects.select_related("project").get(pk=claim.document_id)
    if document.starts > MOST_STARTS:
        _fail(claim, State.FAILED, CUT_OFF)
        return
    with unpacked.folder() as folder:
        extraction = _extract(document, claim, folder, Turn(document.pk) if gives_way else None)
        warnings = list(extraction.warnings)
        warnings += add_attachments(document, extraction.attachments, folder, claim.lasts)
    _index(document, claim, extraction, warnings)


def _extract(document: Document, claim: Claim, folder: Path, turn: Turn | None) -> Extraction:
    context = Context(document.name, document.password, claim.hear, folder, kept.folder_of(document.pk))
    watcher = Watcher(
        wanted=lambda: claim.lasts() and not (turn and turn.is_over()),
        arrived=lambda: claim.move(State.EXTRACTING, State.INDEXING, stage_done=0, stage_total=0),
    )
    return extract_isolated(store.path_of(document.sha256), context, watcher)


def _give_way(claim: Claim) -> None:
    """Put a reading whose turn is over at the end of the line; one that was cancelled or removed is not its own."""
    with transaction.atomic():
        if claim.put_back():
            enqueue(INGEST_JOB, claim.document_id)


def _index(document: Document, claim: Claim, extraction: Extraction, warnings: list[str]) -> None:
    sections = sections_of(extraction.blocks)
    parts = list(indexing.parts_of(sections, chunks_of(sections)))
    tokens = _count_tokens(sections)
    key = indexing.text_key(sections)
    opening = sections[0].text if sections else ""
    if len(parts) > PARTS_AT_ONCE:
        _write_ahead(document, claim, parts, opening)
    with transaction.atomic():
        claim.move(
            State.INDEXING,
            State.WARNINGS if warnings else State.READY,
            media_type=extraction.media_type,
            pages=extraction.pages,
            tokens=tokens,
            warnings=warnings,
            report=asdict(extraction.report),
            text_key=key,
            error="",
            updated=timezone.now(),
        )
        if len(parts) <= PARTS_AT_ONCE:
            same = key == document.text_key
            _clear(document, "\n".join(section.text for section in sections), same=same)
            for part in parts:
                indexing.write(document, part, opening)
        make_passport(document.pk, document.name, sections, extraction.pages)
        enqueue(EMBED_JOB, document.pk)
        enqueue(LEARN_JOB, document.pk)


def _write_ahead(document: Document, claim: Claim, parts: Sequence[indexing.Part], opening: str) -> None:
    """Write a large document part by part, so that others can write in between; it shows when its state says so.

    What an earlier reading had found goes first: whoever cancels from here on cancels that too.
    """
    with transaction.atomic():
        claim.move(State.INDEXING, State.INDEXING, text_key="")
        _clear(document)
    for done, part in enumerate(parts):
        with transaction.atomic():
            claim.move(State.INDEXING, State.INDEXING, stage_done=done, stage_total=len(parts))
            indexing.write(document, part, opening)


def _clear(document: Document, text: str = "", *, same: bool = False) -> None:
    """Delete what an earlier reading had written, and unless the new text is the same, what quotes or tells of it."""
    if indexing.clear(document) and not same:
        forget_text(document, text)
        erase()


def _fail(claim: Claim, state: State, sentence: str) -> None:
    """End in a state that waits for a person; what an earlier reading had found is not kept as current."""
    with transaction.atomic():
        if not claim.end(state, error=sentence, warnings=[], report={}, text_key=""):
            return
        document = Document.objects.get(pk=claim.document_id)
        _clear(document)
        forget_passport(document.pk)


def _drop_half_written(document_id: int) -> None:
    """Delete what was written of a document that was cancelled before it was whole; another reader clears it itself."""
    with transaction.atomic():
        cancelled = Document.objects.filter(pk=document_id, state=State.CANCELLED, text_key="").first()
        if cancelled is not None:
            _clear(cancelled)


def _count_tokens(sections: Sequence[SectionText]) -> int | None:
    """Return the document's tokens under the loaded model, None while no model can be asked: search needs none."""
    try:
        return sum(gateway.count_tokens([section.text for section in sections]))
    except InferenceError as error:
        logger.info("tokens are not counted: %s", error.code)
        return None
