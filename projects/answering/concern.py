"""Which documents a question is about: by the names in it, then by where the search finds most."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from projects.answering.router import SURE, names_in
from projects.answering.wording import folded
from projects.retrieval import lexical
from projects.retrieval.search import Hit

MOST = 3
"""Documents that are asked one after the other where the search is not sure of one."""
SHORTEST = 4
"""Characters of a number or an identifier that is looked up as a name."""
MOST_NAMES = 6
"""Names that are looked up; a question with more of them is a list."""


@dataclass(frozen=True)
class Concern:
    """The documents that may answer, the likeliest first. `sure`: it is the first or none.

    `anchored`: the question names something that not half of the documents hold.
    """

    documents: tuple[int, ...] = ()
    sure: bool = False
    anchored: bool = False


def concern_of(project_id: int, question: str, hits: Sequence[Hit], total: int, cited: int | None = None) -> Concern:
    """Return which of a project's `total` documents a question is about.

    `cited` is the document of the answer before, on which a question may lean that names no other.
    """
    names = sorted(names_in(question, [hit.passage for hit in hits]) | identifiers_in(question))[:MOST_NAMES]
    holders = [held for name in names if (held := _holders(project_id, name)) and 2 * len(held) <= max(total, 2)]
    return weigh(shares_of(hits), holders, cited)


def identifiers_in(question: str) -> frozenset[str]:
    """Return the words of a question that are names whatever stands around them: 'N103JT', 'HX4711', '20391'."""
    words = folded(question).split()
    return frozenset(word for word in words if len(word) >= SHORTEST and any(map(str.isdigit, word)))


def shares_of(hits: Sequence[Hit]) -> dict[int, float]:
    """Return each document's share of what was found."""
    shares: dict[int, float] = {}
    for hit in hits:
        shares[hit.passage.document_id] = shares.get(hit.passage.document_id, 0.0) + hit.score
    return shares


def weigh(shares: dict[int, float], holders: Sequence[Collection[int]], cited: int | None = None) -> Concern:
    """Return the documents with most of the hits, of those that hold the names if any do.

    Two names that stand in different documents leave both open: the question may be about either, or compare them.
    """
    if cited is not None and not holders:
        return Concern((cited,), sure=True)
    named: set[int] = set.intersection(*map(set, holders)) if holders else set()
    named = named or set().union(*holders)
    ranked = sorted(named or shares, key=lambda document: (-shares.get(document, 0.0), document))
    if not ranked:
        return Concern()
    first, second = (shares.get(document, 0.0) for document in (ranked[0], ranked[1 if len(ranked) > 1 else 0]))
    sure = len(ranked) == 1 or first >= SURE * second
    return Concern(tuple(ranked[: 1 if sure else MOST]), sure, anchored=bool(holders))


def _holders(project_id: int, name: str) -> set[int]:
    return {passage.document_id for passage in lexical.search(project_id, name)}
