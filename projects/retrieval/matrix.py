"""The vectors of a project in memory, kept in step with their rows, which another process writes."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from django.db.models import Max

from inference.embeddings import Matrix
from projects.models import Chunk, Document, Vector, VectorIndex

MEMORY = 512 * 1024 * 1024
"""Bytes of vectors held at most, unless one project alone has more; 100,000 chunks of 384 numbers are 154 MB."""
GROWTH = 1.25
FETCH = 2_000

Ints = npt.NDArray[np.int64]
NOWHERE = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Nearest:
    """Chunks by falling cosine, and the documents in question some of whose chunks have no vector yet."""

    chunk_ids: list[int]
    incomplete: frozenset[int]


@dataclass(frozen=True)
class _Head:
    """A document as it is now: its chunks are those from `first` on."""

    first: int
    answerable: bool


@dataclass
class ProjectVectors:
    """The vectors of one project in one index: `rows[i]` belongs to `chunk_ids[i]` of `document_ids[i]`.

    New rows are found by their ids, which only grow. Deleted ones are not looked for: a reading gives a document new
    chunks with greater ids than before, so the first chunk of each document tells which of its vectors still count.
    """

    index: VectorIndex
    project_id: int
    seen: int = 0
    """The greatest id of a row, of whatever project, at the last look."""
    count: int = 0
    rows: Matrix = field(init=False)
    chunk_ids: Ints = field(init=False)
    document_ids: Ints = field(init=False)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.rows = np.zeros((0, self.index.dim), np.float32)
        self.chunk_ids = np.zeros(0, np.int64)
        self.document_ids = np.zeros(0, np.int64)

    def nearest(self, query: Matrix, limit: int, documents: Collection[int] | None) -> Nearest:
        """Return the chunks of answerable documents nearest to a query (one row), by an exact comparison with all."""
        with self.lock:
            self._read_new()
            # After the rows: of documents that came in between, the rows would be forgotten, and never read again.
            heads = _heads(self.project_id)
            whole = self._forget_all_before(self._first_chunks(heads))
            asked = {pk for pk, head in heads.items() if head.answerable}
            if documents is not None:
                asked &= set(documents)
            found = self._best(query, limit, asked, everything=len(asked) == len(heads))
            return Nearest(found, frozenset(asked - whole))

    def _best(self, query: Matrix, limit: int, asked: set[int], *, everything: bool) -> list[int]:
        chunk_ids, document_ids = self.chunk_ids[: self.count], self.document_ids[: self.count]
        scores = self.rows[: self.count] @ query[0]
        if not everything:
            scores[~np.isin(document_ids, list(asked))] = -np.inf
        best = np.argpartition(-scores, limit)[:limit] if limit < len(scores) else np.arange(len(scores))
        # Of equal cosines the earlier chunk first, so that a search gives the same twice.
        order = best[np.lexsort((chunk_ids[best], -scores[best]))]
        return [int(chunk_ids[i]) for i in order if scores[i] > -np.inf]

    def _first_chunks(self, heads: dict[int, _Head]) -> Ints:
        """Return for each row the id of its document's first chunk now; beyond all ids where there is no document."""
        known, places = np.unique(self.document_ids[: self.count], return_inverse=True)
        nothing = _Head(int(NOWHERE), answerable=False)
        firsts = np.array([heads.get(pk, nothing).first for pk in known.tolist()], dtype=np.int64)
        return firsts[places] if len(firsts) else np.zeros(0, np.int64)

    def _read_new(self) -> None:
        rows = Vector.objects.all()
        newest: int = rows.aggregate(newest=Max("pk"))["newest"] or 0
        if newest <= self.seen:
            return
        wanted = rows.filter(index=self.index, chunk__document__project=self.project_id, pk__lte=newest)
        if self.seen:  # without it, the first look goes from the project to its chunks and not through all rows
            wanted = wanted.filter(pk__gt=self.seen)
        fresh = wanted.values_list("chunk_id", "chunk__document_id", "data")
        self._append(fresh.iterator(chunk_size=FETCH), wanted.count())
        self.seen = newest

    def _append(self, fresh: Iterable[tuple[int, int, bytes | memoryview[int]]], at_least: int) -> None:
        self._reserve(self.count + at_least)
        for chunk_id, document_id, data in fresh:
            self._reserve(self.count + 1)
            self.rows[self.count] = np.frombuffer(data, "<f4")
            self.chunk_ids[self.count] = chunk_id
            self.document_ids[self.count] = document_id
            self.count += 1

    def _reserve(self, size: int) -> None:
        if size <= len(self.rows):
            return
        room = size if not len(self.rows) else max(size, int(len(self.rows) * GROWTH))
        self.rows = np.concatenate([self.rows[: self.count], np.zeros((room - self.count, self.index.dim), np.float32)])
        self.chunk_ids = np.concatenate([self.chunk_ids[: self.count], np.zeros(room - self.count, np.int64)])
        self.document_ids = np.concatenate([self.document_ids[: self.count], np.zeros(room - self.count, np.int64)])

    def _forget_all_before(self, firsts: Ints) -> set[int]:
        """Drop the rows of documents that are gone and of earlier readings; return the documents that are whole.

        A document's first chunk is the last that gets its vector.
        """
        chunk_ids, document_ids = self.chunk_ids[: self.count], self.document_ids[: self.count]
        keep = chunk_ids >= firsts
        whole: set[int] = set(document_ids[chunk_ids == firsts].tolist())
        if not keep.all():
            self.rows = self.rows[: self.count][keep]
            self.chunk_ids, self.document_ids = chunk_ids[keep], document_ids[keep]
            self.count = len(self.rows)
        return whole


class Shelf:
    """The projects that were searched last, as many as fit into memory."""

    def __init__(self, memory: int = MEMORY) -> None:
        self._memory = memory
        self._lock = threading.Lock()
        self._held: OrderedDict[tuple[str, int], ProjectVectors] = OrderedDict()

    def of(self, index: VectorIndex, project_id: int) -> ProjectVectors:
        """Return a project's vectors in an index; what was not used for longest goes."""
        with self._lock:
            place = (index.key, project_id)
            held = self._held.setdefault(place, ProjectVectors(index, project_id))
            self._held.move_to_end(place)
            for other in [key for key in self._held if key[0] != index.key]:
                del self._held[other]  # of an index that does not serve any more
            while len(self._held) > 1 and sum(one.rows.nbytes for one in self._held.values()) > self._memory:
                self._held.popitem(last=False)
            return held

    def clear(self) -> None:
        """Hold nothing."""
        with self._lock:
            self._held.clear()


shelf = Shelf()
"""Of this process."""


def _heads(project_id: int) -> dict[int, _Head]:
    first = Chunk.objects.filter(document__project=project_id, ordinal=0).order_by()
    rows = first.values_list("document_id", "pk", "document__state")
    return {pk: _Head(chunk_id, state in Document.ANSWERABLE) for pk, chunk_id, state in rows}
