"""The way of one answer, once it is chosen: what the model is asked, and what the answer may cite."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from inference.contracts import ChatMessage
from projects.answering.router import Route
from projects.retrieval.passages import Passage


class Manner(StrEnum):
    """How an answer is made.

    READY: it is there already. DIGEST: from the descriptions of all documents. ASKED: of the first source that states
    it, quoted. WALKED: of each document. WHOLE: of one document, stretch by stretch.
    """

    READY = "ready"
    DIGEST = "digest"
    ASKED = "asked"
    WALKED = "walked"
    WHOLE = "whole"


@dataclass(frozen=True)
class Ask:
    """One request: the prompt, and the `sources` that stand in it under their numbers, from 1.

    `label` says in a walk which document this is.
    """

    messages: tuple[ChatMessage, ...]
    sources: tuple[Passage, ...]
    label: str = ""


@dataclass(frozen=True)
class Way:
    """A route with all that it takes.

    `said` are the question and what was said before, whose figures an answer may repeat. `relies_on` are the documents
    whose words stand in the prompts. `ready` is the answer of manner READY, whose marks are of `sources`. `nearest` are
    the passages to be named where nothing states the answer. `of_each`: a walk tells something of every document, not
    which ones are meant. `is_prepared`: the answer was made before the question came.
    """

    route: Route
    manner: Manner = Manner.ASKED
    question: str = ""
    said: str = ""
    asks: tuple[Ask, ...] = ()
    sources: tuple[Passage, ...] = ()
    relies_on: frozenset[int] = frozenset()
    ready: str = ""
    nearest: tuple[Passage, ...] = ()
    of_each: bool = False
    is_prepared: bool = False

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The first prompt, which is kept with the turn."""
        return self.asks[0].messages if self.asks else ()
