"""The life of vector indexes: which one serves, which one is built beside it, and when they change places."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from inference import embeddings
from inference.embeddings import EmbeddingFailed
from projects.models import Chunk, Document, Vector, VectorIndex
from projects.retrieval.recipe import backend_key

logger = logging.getLogger(__name__)

State = VectorIndex.State
DELETE_SLICE = 2_000
"""Vectors deleted at a time, so that nobody waits long for the database."""


@dataclass(frozen=True)
class Progress:
    """Chunks that have a vector, of all that should have one; 0 of 0 before the first."""

    done: int
    total: int


def serving() -> VectorIndex | None:
    """Return the index that searches use, None before the first vector."""
    return VectorIndex.objects.filter(state=State.SERVING).first()


def usable(index: VectorIndex) -> bool:
    """Tell whether the model that made an index is still on this machine: another one cannot ask it anything."""
    try:
        return backend_key(index.model) == index.key
    except EmbeddingFailed:
        return False


def to_fill() -> list[VectorIndex]:
    """Return the indexes that new text belongs into, the serving one first; makes one for a model that has none.

    Waits for the configured model to be loaded. Raises EmbeddingFailed.
    """
    model = embeddings.configured()
    key = backend_key(model)
    if not VectorIndex.objects.filter(key=key, model=model).exclude(state=State.RETIRED).exists():
        dim = embeddings.embedder(model).embed([""]).shape[1]
        _adopt(VectorIndex(key=key, model=model, dim=dim))
    _retire_unwanted(key)
    filled = VectorIndex.objects.filter(state__in=(State.SERVING, State.BUILDING))
    return sorted(filled, key=lambda index: index.state != State.SERVING)


def lacking(index: VectorIndex) -> QuerySet[Chunk]:
    """Return the chunks that should have a vector in an index and have none."""
    made = Vector.objects.filter(index=index, chunk=OuterRef("pk"))
    return wanting().filter(~Exists(made))


def wanting() -> QuerySet[Chunk]:
    """Return the chunks that should have a vector in every index."""
    return Chunk.objects.filter(document__state__in=Document.ANSWERABLE, document__project__vectors=True)


def give_up_unwanted() -> None:
    """Give up an index that is built for a model which is not the chosen one any more; what serves goes on serving."""
    try:
        key = backend_key(embeddings.configured())
    except EmbeddingFailed:
        key = ""  # nothing can be built for that one either
    with locked():
        _retire_unwanted(key)


def progress() -> Progress:
    """Return how far the configured model's index is, over all projects. Raises EmbeddingFailed if it is not here."""
    wanted = VectorIndex.objects.filter(key=backend_key(embeddings.configured())).first()
    if wanted is None:
        return Progress(0, 0)
    done = wanted.vectors.count()
    return Progress(done, done + lacking(wanted).count())


def switch_if_whole() -> bool:
    """Let the index that is being built take over if no chunk lacks its vector there; tell whether it did."""
    with locked():
        index = VectorIndex.objects.filter(state=State.BUILDING).first()
        if index is None or lacking(index).exists():
            return False
        VectorIndex.objects.filter(state=State.SERVING).update(state=State.RETIRED)
        VectorIndex.objects.filter(pk=index.pk).update(state=State.SERVING)
    logger.info("the vectors of %s are in use now", index.model)
    return True


def is_settled() -> bool:
    """Tell whether the chosen model's index serves and no other is built: then one model is all that is needed."""
    current = serving()
    building = VectorIndex.objects.filter(state=State.BUILDING).exists()
    return current is not None and current.model == embeddings.configured() and not building


def delete_some_retired() -> bool:
    """Delete a slice of what is not used any more; tell whether there is more."""
    with locked():
        retired = VectorIndex.objects.filter(state=State.RETIRED)
        slice_ = list(Vector.objects.filter(index__in=retired).values_list("pk", flat=True)[:DELETE_SLICE])
        Vector.objects.filter(pk__in=slice_).delete()
        if len(slice_) < DELETE_SLICE:
            retired.delete()
    return len(slice_) == DELETE_SLICE


@contextmanager
def locked() -> Iterator[None]:
    """Keep other writers of vectors out until the transaction ends.

    Readers learn of new vectors by ids greater than those they have seen. So ids have to become visible in their order,
    which two writers at once would not give on PostgreSQL.
    """
    with transaction.atomic():
        list(VectorIndex.objects.select_for_update().order_by("pk"))
        yield


def _adopt(wanted: VectorIndex) -> None:
    """Give the configured model an index: beside the one that serves, or in its place if that cannot be asked."""
    with locked():
        current = VectorIndex.objects.filter(state=State.SERVING).first()
        if current and current.key == wanted.key:
            VectorIndex.objects.filter(pk=wanted.key).update(model=wanted.model)  # the same files under another name
            return
        if current and not usable(current):
            VectorIndex.objects.filter(pk=current.pk).update(state=State.RETIRED)
            current = None
        VectorIndex.objects.filter(state=State.BUILDING).update(state=State.RETIRED)
        state = State.BUILDING if current else State.SERVING
        VectorIndex.objects.update_or_create(
            key=wanted.key, defaults={"model": wanted.model, "state": state}, create_defaults=_fields(wanted, state)
        )


def _fields(wanted: VectorIndex, state: State) -> dict[str, object]:
    return {"model": wanted.model, "dim": wanted.dim, "state": state}


def _retire_unwanted(key: str) -> None:
    """Give up an index that was being built for a model which is not the configured one any more."""
    VectorIndex.objects.filter(state=State.BUILDING).exclude(key=key).update(state=State.RETIRED)
