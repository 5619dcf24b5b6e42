"""Choosing the passages that go before the model: the best of the ranking, each content once, within a budget."""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Passage:
    """A chunk that was found, with what is needed to show and to cite it.

    `ordinal` is its position in the document, whose first words are `opening`. `page` is the page on which the text
    starts; a form feed in the text is a page break. `score`: higher is better, comparable within one ranking only.
    `text` begins at the character `start` of the section `section_id`.
    """

    chunk_id: int
    document_id: int
    document: str
    opening: str
    ordinal: int
    page: int | None
    heading: tuple[str, ...]
    text: str
    content_key: str
    score: float
    section_id: int = 0
    start: int = 0

    def page_at(self, offset: int) -> int | None:
        """Return the page of the character at `offset` of the text."""
        return None if self.page is None else self.page + self.text.count("\f", 0, offset)


def content_key(text: str) -> str:
    """Return a hash that is the same for texts that differ only in case, spacing, width or composition of letters."""
    normal = " ".join(unicodedata.normalize("NFKC", text).casefold().split())
    return hashlib.sha256(normal.encode()).hexdigest()


def choose(ranked: Iterable[Passage], limit: int, budget: int) -> list[Passage]:
    """Take passages from the best down: at most `limit`, at most `budget` characters, no content twice.

    A passage that does not fit is skipped and a shorter one further down may take its place; the first always fits.
    """
    chosen: list[Passage] = []
    seen: set[str] = set()
    used = 0
    for passage in ranked:
        if len(chosen) == limit:
            break
        if passage.content_key in seen or (chosen and used + len(passage.text) > budget):
            continue
        seen.add(passage.content_key)
        used += len(passage.text)
        chosen.append(passage)
    return chosen


def by_document(passages: Iterable[Passage]) -> list[Passage]:
    """Return ranked passages with those of one document together, in its order.

    The document whose passages score most in sum comes first: 'who owned the Beech?' finds the word 'owned' in the
    report on another aircraft, and the Beech in four passages of the right one.
    """
    ranked = list(passages)
    weight: dict[int, float] = {}
    for passage in ranked:
        weight[passage.document_id] = weight.get(passage.document_id, 0.0) + passage.score
    return sorted(ranked, key=lambda passage: (-weight[passage.document_id], passage.document_id, passage.ordinal))
