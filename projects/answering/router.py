"""Which way an answer takes: rules over what a question asks for and over what has been read, each with its reason.

The digest tells of every document a little, so it answers questions about all of them and never one for a fact. For a
fact the text itself is asked: as a whole where the model has it in memory and the search is sure of the document, since
then it costs less than passages and leaves nothing out; else the passages that the search finds. Doubt goes to the
text.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from projects.answering.wording import Kind, folded
from projects.retrieval.passages import Passage
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

    `document` is the name of the one document that it is about, empty if that is not sure. `is_named`: the question
    names something that few documents hold. `is_remembered`: the model has the whole text of every document that may
    be meant in memory, and `are_all_remembered` that of all documents. `is_short`: reading the whole `document` takes
    no longer than reading passages.
    """

    kind: Kind
    has_digest: bool
    document: str = ""
    is_named: bool = False
    is_remembered: bool = False
    are_all_remembered: bool = False
    is_short: bool = False


@dataclass(frozen=True)
class Route:
    """A lane, and why, in words for a person."""

    lane: Lane
    reason: str


def route(scene: Scene, wanted: str = "") -> Route:
    """Return the lane that the person wants, if it can be had, else the cheapest one that can answer."""
    if not wanted:
        return _cheapest(scene)
    if wanted == Lane.DIGEST and not scene.has_digest:
        cheapest = _cheapest(scene)
        return Route(cheapest.lane, f"Nothing was learned of all documents yet. {cheapest.reason}")
    return Route(Lane(wanted), "You asked for this way.")


_COUNTED = "Asks how many documents there are: counted them."
_LISTED = "Asks for every document: listed them with what was learned of each."


def _cheapest(scene: Scene) -> Route:
    match scene.kind:
        case Kind.TOTAL | Kind.LIST:
            return Route(Lane.DIGEST, _COUNTED if scene.kind is Kind.TOTAL else _LISTED)
        case Kind.OVERVIEW if scene.document and scene.is_named:
            return _of_one(scene)
        case Kind.OVERVIEW | Kind.ACROSS:
            return _of_all(scene)
        case Kind.WHICH | Kind.EVERY | Kind.MOSTLY:
            return _of_each(scene)
        case Kind.FULL:
            return Route(Lane.DEEP, f"Asks for a full reading{_of(scene)}.")
    return _fact(scene)


def _of_all(scene: Scene) -> Route:
    if scene.has_digest:
        return Route(Lane.DIGEST, "Asks about the documents as a whole: answered from what was learned of each.")
    if scene.kind is Kind.OVERVIEW:
        return Route(Lane.DIGEST, "Asks about all, and nothing is read ahead yet: told from what rules found in each.")
    return _fact(scene)


def _of_one(scene: Scene) -> Route:
    if scene.is_remembered:
        return Route(Lane.DIGEST, f"Asks what {scene.document} is about: answered from what was learned of it.")
    return _fact(scene)


def _of_each(scene: Scene) -> Route:
    if scene.are_all_remembered:
        return Route(Lane.DEEP, "Asks of every document: asked each of them, one by one.")
    if scene.has_digest:
        return Route(Lane.DIGEST, "Asks of every document, and not all are read ahead: answered from what was learned.")
    return Route(Lane.PASSAGES, "Asks of every document, and none is read ahead: asked the passages that were found.")


def _fact(scene: Scene) -> Route:
    if scene.is_remembered and scene.document:
        return Route(Lane.DEEP, f"{scene.document} was read before: its whole text is asked.")
    if scene.is_remembered:
        return Route(Lane.DEEP, "Asks for a fact: asked the whole text of the documents that may hold it.")
    if scene.document and scene.is_short:
        return Route(Lane.DEEP, f"{scene.document} is short: reading the whole of it takes no longer than passages.")
    if scene.document:
        return Route(Lane.PASSAGES, f"{scene.document} is not read ahead yet: asked the passages that were found.")
    return Route(Lane.PASSAGES, "Asks for a fact: looked it up in the passages that were found.")


def _of(scene: Scene) -> str:
    return f" of {scene.document}" if scene.document else " of all documents"


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
