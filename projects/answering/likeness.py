"""How near lines come to a question by meaning; their vectors are kept for the next question to the document."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from inference import embeddings
from inference.contracts import EngineState
from inference.embeddings.health import EmbeddingFailed
from projects.answering.pointing import by_words, lines_of, pointed
from projects.answering.quoting import Quote
from projects.retrieval.passages import Passage

KEPT = 20_000
"""Vectors, of some 1.5 KB each."""
COMPARED = 200
"""Lines of one source list, those with most words of the question: two cores embed about that many in a second."""
LONGEST = 300
"""Characters of a line that are embedded."""

_vectors: OrderedDict[bytes, Any] = OrderedDict()
_lock = threading.Lock()


def nearest(sources: Sequence[Passage], question: str) -> tuple[Quote, ...]:
    """Return the lines of the sources that come nearest to a question, by words alone while no vectors can be had."""
    lines = lines_of(sources)
    if len(lines) > COMPARED:
        first = by_words(lines, question)[:COMPARED]
        lines = tuple(lines[at] for at in sorted(first))
    return pointed(lines, question, likeness([line.text for line in lines], question))


def likeness(lines: Sequence[str], question: str) -> list[float]:
    """Return the cosine of each line with the question; nothing while the embedding model is not there."""
    if embeddings.is_off() or embeddings.state().state is not EngineState.READY or not lines:
        return []
    try:
        asked = embeddings.embed_query(question)[0]
        return [float(row @ asked) for row in _rows([" ".join(line.split())[:LONGEST] for line in lines])]
    except EmbeddingFailed:
        return []  # the search has told the person


def _rows(texts: Sequence[str]) -> list[Any]:
    model = embeddings.configured()
    keys = [hashlib.blake2b(f"{model}\n{text}".encode(), digest_size=16).digest() for text in texts]
    with _lock:
        known = {key: _vectors[key] for key in keys if key in _vectors}
    fresh = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
    if fresh:
        known |= zip(fresh, embeddings.embed(list(fresh.values())), strict=True)
    with _lock:
        for key in keys:
            _vectors[key] = known[key]
            _vectors.move_to_end(key)
        while len(_vectors) > KEPT:
            _vectors.popitem(last=False)
    return [known[key] for key in keys]
