"""Taking a document from its stored bytes to an answerable state."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from itertools import islice

from django.db import transaction
from django.db.models import F

from inference import gateway
from inference.errors import InferenceError
from projects.intake import store
from projects.intake.chunking import ChunkText, chunks_of
from projects.intake.extract import Extraction, ExtractionError, PasswordNeeded
from projects.intake.extract.isolated import extract_isolated
from projects.intake.sections import SectionText, sections_of
from projects.models import Chunk, Document, Section
from projects.retrieval import lexical
from projects.retrieval.passages import content_key
from study.queue import JobTimedOut

logger = logging.getLogger(__name__)

OPENING = 300
"""Characters of a document's beginning that every chunk of it is found by."""
BATCH = 500
MOST_STARTS = 3
"""Readings that may be cut off by a crash or a stop before the file is taken to be the cause."""

TOO_LONG = "Indexing this file took too long and was given up. Split it, and add the parts."
CUT_OFF = f"Reading this file was cut off {MOST_STARTS} times, by a crash or a stop. Read it again, or split it up."
FAULT = "A fault in Readahead kept it from reading this file; its log has the details."

State = Document.State
UNFINISHED = Document.UNFINISHED


def ingest(document_id: int) -> None:
    """Read a document, index it and leave it in a final state; a document that is gone or final is left alone.

    Safe to run again after a kill at any point: it starts over, and what a run writes it writes in one transaction
    together with the state that makes it visible. The steps check the state that they leave, so of two runs at once
    one finishes and the other stops.
    """
    if not _start(document_id):
        return
    document = Document.objects.get(pk=document_id)
    if document.starts > MOST_STARTS:
        _fail(document_id, State.FAILED, CUT_OFF)
        return
    try:
        _read(document)
    except PasswordNeeded as error:
        _fail(document_id, State.NEEDS_PASSWORD, error.message)
    except ExtractionError as error:
        _fail(document_id, State.FAILED, error.message)
    except JobTimedOut:  # no Exception, and the queue forgets the job: nobody else would close the document
        logger.warning("document %s took longer than a job may", document_id)
        _fail(document_id, State.FAILED, TOO_LONG)
    except Exception:  # one file must not take the queue with it, whatever its reader stumbles over
        logger.exception("reading document %s failed", document_id)
        _fail(document_id, State.FAILED, FAULT)


def _read(document: Document) -> None:
    extraction = extract_isolated(store.path_of(document.sha256), document.name)
    sections = sections_of(extraction.blocks)
    chunks = chunks_of(sections)
    if not _move(document.pk, (State.EXTRACTING,), State.INDEXING):
        return
    tokens = _count_tokens(sections)
    with transaction.atomic():
        if _move_to_ready(document.pk, extraction, tokens):
            _write(document, sections, chunks)


def _start(document_id: int) -> bool:
    waiting = Document.objects.filter(pk=document_id, state__in=UNFINISHED)
    return bool(waiting.update(state=State.EXTRACTING, starts=F("starts") + 1))


def _move(document_id: int, before: Sequence[State], after: State) -> bool:
    return bool(Document.objects.filter(pk=document_id, state__in=before).update(state=after))


def _move_to_ready(document_id: int, extraction: Extraction, tokens: int | None) -> bool:
    indexing = Document.objects.filter(pk=document_id, state=State.INDEXING)
    return bool(
        indexing.update(
            state=State.WARNINGS if extraction.warnings else State.READY,
            media_type=extraction.media_type,
            pages=extraction.pages,
            tokens=tokens,
            warnings=list(extraction.warnings),
            error="",
        )
    )


def _fail(document_id: int, state: State, sentence: str) -> None:
    """End in a state that waits for a person; what an earlier reading had found is not shown as current."""
    unfinished = Document.objects.filter(pk=document_id, state__in=UNFINISHED)
    with transaction.atomic():
        if unfinished.update(state=state, error=sentence, warnings=[]):
            Section.objects.filter(document_id=document_id).delete()


def _write(document: Document, sections: Sequence[SectionText], chunks: Sequence[ChunkText]) -> None:
    """Replace the document's sections, chunks and index rows; in the caller's transaction."""
    Section.objects.filter(document=document).delete()
    section_rows = Section.objects.bulk_create(
        [
            Section(
                document=document,
                ordinal=ordinal,
                heading=list(section.heading),
                page_start=section.page_start,
                page_end=section.page_end,
                text=section.text,
            )
            for ordinal, section in enumerate(sections)
        ],
        batch_size=BATCH,
    )
    opening = _opening(sections)
    numbered = iter(enumerate(chunks))
    while batch := list(islice(numbered, BATCH)):
        rows = Chunk.objects.bulk_create(_chunk_row(document, section_rows, *item) for item in batch)
        lexical.add(
            lexical.IndexEntry(row.pk, row.text, " ".join(row.section.heading), opening, document.name) for row in rows
        )


def _chunk_row(document: Document, sections: Sequence[Section], ordinal: int, chunk: ChunkText) -> Chunk:
    return Chunk(
        document=document,
        section=sections[chunk.section],
        ordinal=ordinal,
        page=chunk.page,
        start=chunk.start,
        text=chunk.text,
        content_key=content_key(chunk.text),
    )


def _opening(sections: Sequence[SectionText]) -> str:
    return sections[0].text[:OPENING] if sections else ""


def _count_tokens(sections: Sequence[SectionText]) -> int | None:
    """Return the document's tokens under the loaded model, None while no model can be asked: search needs none."""
    try:
        return sum(gateway.count_tokens([section.text for section in sections]))
    except InferenceError as error:
        logger.info("tokens are not counted: %s", error.code)
        return None
