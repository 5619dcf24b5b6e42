"""Which way an answer takes: rules over what a question asks for and over what has been read, each with its reason.

The digest tells of every document a little, so it answers questions about all of them and never one for a fact. For a
fact the text itself is asked: as a whole where the model has it in memory and the search is sure of the document, since
then it costs less than passages and leaves nothing out; else the passages that the search finds. Doubt goes to the
text.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from projects.answering.wording import Kind, folded
from projects.retrieval.passages import Passage
from projects.retrieval.search import Hit
from projects.retrieval.stopwords import STOP_WORDS

SURE = 1.5
"""How many times the next document's share of the hits the first one must have to be taken alone."""


class Lane(StrEnum):
    """Ways of answering, the cheapest first."""

    DIGEST = "digest"
    PASSAGES = "passages"
    DEEP = "deep"


@dataclass(frozen=True)
class Scene:
    """What is known when a question comes.

    `document` is the name of the one document that the search is sure of, empty if there is none; `is_remembered`: the
    model has its whole text in memory. `names`: the question names something that stands in what was found.
    """

    kind: Kind
    has_digest: bool
    document: str = ""
    is_remembered: bool = False
    names: bool = False


@dataclass(frozen=True)
class Route:
    """A lane, and why, in words for a person."""

    lane: Lane
    reason: str


def route(scene: Scene, wanted: str = "") -> Route:
    """Return the lane that the person wants, if it can be had, else the cheapest one that can answer."""
    if not wanted:
        return _cheapest(scene)
    if wanted in _possible(scene):
        return Route(Lane(wanted), "You asked for this way.")
    cheapest = _cheapest(scene)
    return Route(cheapest.lane, f"The way '{wanted}' is not open yet: nothing was read ahead for it. {cheapest.reason}")


def _possible(scene: Scene) -> set[str]:
    return {
        Lane.PASSAGES,
        *([Lane.DIGEST] if scene.has_digest else []),
        *([Lane.DEEP] if scene.document and scene.is_remembered else []),
    }


def _cheapest(scene: Scene) -> Route:
    of_one = bool(scene.document) and scene.names
    if scene.kind in (Kind.OVERVIEW, Kind.EACH) and scene.has_digest and not (of_one and scene.kind is Kind.OVERVIEW):
        return Route(Lane.DIGEST, "Asks about the documents as a whole: answered from what was learned of each.")
    if scene.document and scene.is_remembered:
        return Route(Lane.DEEP, f"{scene.document} was read before: its whole text is asked.")
    if scene.document:
        return Route(Lane.PASSAGES, f"{scene.document} is not read ahead yet: asked the passages that were found.")
    return Route(Lane.PASSAGES, "Asks for a fact: looked it up in the passages that were found.")


def concerned(hits: Sequence[Hit]) -> int | None:
    """Return the id of the document that has most of the hits, None if another one comes close."""
    shares: dict[int, float] = {}
    for hit in hits:
        shares[hit.passage.document_id] = shares.get(hit.passage.document_id, 0.0) + hit.score
    ranked = sorted(shares.items(), key=lambda item: -item[1])
    if not ranked or (len(ranked) > 1 and ranked[0][1] < SURE * ranked[1][1]):
        return None
    return ranked[0][0]


def names_in(question: str, passages: Iterable[Passage]) -> frozenset[str]:
    """Return the words of a question that are names in the passages: there always with a capital or a digit."""
    wanted = {word for word in folded(question).split() if word not in STOP_WORDS and len(word) > 1}
    written: dict[str, set[bool]] = {word: set() for word in wanted}
    for passage in passages:
        for word in passage.text.split():
            bare = folded(word)
            if bare in written:
                written[bare].add(word.strip("\"'([{„“‘«")[:1].isupper() or any(c.isdigit() for c in word))
    return frozenset(word for word, seen in written.items() if seen == {True})
