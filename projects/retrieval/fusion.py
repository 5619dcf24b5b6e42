"""Making one ranking of several, by the ranks alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

K = 60
"""Of reciprocal-rank fusion: a passage counts 1 / (K + rank) in each ranking. BM25 and cosine have no common scale, so
only ranks are compared. 60 is the value of the method's authors (Cormack, Clarke, Büttcher 2009), who found it good
over many collections: large enough that being among the first in both rankings beats being the very first in one."""


@dataclass(frozen=True)
class Ranked:
    """A chunk with its ranks from 1, None where it was not found."""

    chunk_id: int
    words_rank: int | None
    meaning_rank: int | None

    @property
    def score(self) -> float:
        """The fused score, higher is better."""
        return sum(1 / (K + rank) for rank in (self.words_rank, self.meaning_rank) if rank is not None)


def fuse(words: Sequence[int], meaning: Sequence[int]) -> list[Ranked]:
    """Return all chunks of two rankings, best first; of equals the one that has the words of the question."""
    by_words = {chunk_id: rank for rank, chunk_id in enumerate(words, start=1)}
    by_meaning = {chunk_id: rank for rank, chunk_id in enumerate(meaning, start=1)}
    ranked = [Ranked(pk, by_words.get(pk), by_meaning.get(pk)) for pk in {**by_words, **by_meaning}]
    return sorted(ranked, key=lambda one: (-one.score, one.words_rank or len(by_words) + 1, one.chunk_id))
