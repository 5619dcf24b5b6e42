"""Giving every chunk its vector, in jobs that may be killed at any moment and go on where they were."""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence

from django.db import transaction

from inference import embeddings
from inference.embeddings import EmbeddingFailed, Matrix
from projects.models import Chunk, Section, Vector, VectorIndex
from projects.retrieval import indexes
from projects.retrieval.recipe import OPENING, backend_key, heading_of
from study.presence import Presence, is_present
from study.queue import enqueue

logger = logging.getLogger(__name__)

EMBED_JOB = "projects.jobs.embed_document"
BUILD_JOB = "projects.jobs.build_index"

BATCH = 32
"""Chunks embedded between two transactions: about a second of work, which is all that a kill can cost."""
GIVES_WAY_S = 10.0
"""The longest that a batch waits for an answer that is being made."""
LOOK_S = 0.25
SLICE_S = 20.0
"""Seconds after which a job goes to the end of the line: uploads that came meanwhile are read first."""


def embed_document(document_id: int) -> None:
    """Make a document findable by meaning; nothing happens if it is already, or is gone, or is not answerable.

    A document that is read again meanwhile has other chunks then, and a job of its own.
    """
    deadline = time.monotonic() + SLICE_S
    if not all(_fill(index, document_id, deadline) for index in _indexes()):
        _go_on(EMBED_JOB, document_id)


def build_index() -> None:
    """Give every chunk of all documents its vector, then let a new index take over and delete the old one."""
    deadline = time.monotonic() + SLICE_S
    for index in _indexes():
        for document_id in indexes.lacking(index).order_by().values_list("document_id", flat=True).distinct():
            if not _fill(index, document_id, deadline):
                _go_on(BUILD_JOB)
                return
    indexes.switch_if_whole()
    if indexes.is_settled():
        embeddings.release_others(embeddings.configured())
    while indexes.delete_some_retired():
        if time.monotonic() > deadline:
            _go_on(BUILD_JOB)
            return


def catch_up() -> None:
    """Put the building of the index in line if there is anything to do: after a start, another model, a switch."""
    if embeddings.is_off() or not _is_behind():
        return
    with transaction.atomic():
        enqueue(BUILD_JOB)


def _is_behind() -> bool:
    states = dict(VectorIndex.objects.values_list("state", "key"))
    if VectorIndex.State.RETIRED in states or VectorIndex.State.BUILDING in states:
        return True
    current = indexes.serving()
    try:
        key = backend_key(embeddings.configured())
    except EmbeddingFailed:  # shown by /health/ and in searches; only the index that serves can be filled
        return current is not None and indexes.usable(current) and indexes.lacking(current).exists()
    if current is None or current.key != key:
        return Chunk.objects.exists()
    return indexes.lacking(current).exists()


def _indexes() -> list[VectorIndex]:
    """Return the indexes that can be filled now: while the model cannot be loaded, the one that serves by another."""
    if embeddings.is_off():
        return []
    try:
        wanted = indexes.to_fill()
    except EmbeddingFailed as error:
        logger.warning("no vectors are made by the chosen model: %s", error.message)
        current = indexes.serving()
        wanted = [current] if current else []
    return [index for index in wanted if indexes.usable(index)]


def _fill(index: VectorIndex, document_id: int, deadline: float) -> bool:
    """Embed what a document lacks in an index, batch by batch; False when time is up and something is left.

    From the last chunk to the first, so that a document whose first chunk has its vector is whole.
    """
    waiting = indexes.lacking(index).filter(document_id=document_id).order_by("-ordinal").select_related("section")
    opening = _opening(document_id)
    while chunks := list(waiting[:BATCH]):
        _give_way()
        if time.monotonic() > deadline:
            return False
        headings = [heading_of(opening, chunk.section.heading, chunk.ordinal) for chunk in chunks]
        rows = embeddings.embedder(index.model).embed([chunk.text for chunk in chunks], headings)
        if not _store(index, chunks, rows):
            return True
    return True


def _give_way() -> None:
    """Leave the processor to an answer that is being made, for a while: searching by meaning helps the next one."""
    until = time.monotonic() + GIVES_WAY_S
    while is_present(Presence.ASKING) and time.monotonic() < until:
        time.sleep(LOOK_S)


def _store(index: VectorIndex, chunks: Sequence[Chunk], rows: Matrix) -> bool:
    """Store the vectors of chunks that are still there and have none; False when none of this is wanted any more."""
    ids = [chunk.pk for chunk in chunks]
    with indexes.locked():
        if not VectorIndex.objects.filter(pk=index.pk).exclude(state=VectorIndex.State.RETIRED).exists():
            return False
        wanted = indexes.lacking(index).filter(pk__in=ids).select_for_update(of=("self",))
        there = set(wanted.values_list("pk", flat=True))
        Vector.objects.bulk_create(
            Vector(index=index, chunk_id=pk, data=row.astype("<f4").tobytes())
            for pk, row in zip(ids, rows, strict=True)
            if pk in there
        )
    return bool(there)


def _opening(document_id: int) -> str:
    first = Section.objects.filter(document_id=document_id, ordinal=0).first()
    return first.text[:OPENING] if first else ""


def _go_on(job: str, *ids: int) -> None:
    with transaction.atomic():
        enqueue(job, *ids)
