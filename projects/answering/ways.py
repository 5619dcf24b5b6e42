"""The way of one answer, once it is chosen: what the model is asked, and what the answer may cite."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
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
    """One request: `asking` puts a question behind the `sources`, which stand there under their numbers, from 1.

    `labels` say by id which documents these are, where an answer is to say so. `check` is a second question, to be
    answered by Yes or No. `keep` is the id of the document whose state is kept once it is read here, 0 for none.
    """

    asking: Callable[[str], tuple[ChatMessage, ...]]
    question: str
    sources: tuple[Passage, ...]
    labels: Mapping[int, str] = field(default_factory=dict)
    check: str = ""
    keep: int = 0

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The whole prompt."""
        return self.asking(self.question)

    @property
    def label(self) -> str:
        """What the first document is called, empty where that is not to be said."""
        return self.labels.get(self.sources[0].document_id, "") if self.sources else ""


@dataclass(frozen=True)
class Way:
    """A route with all that it takes.

    `said` are the question and what was said before, whose figures an answer may repeat, and `query` the question with
    those before it that it leans on. `relies_on` are the documents
    whose words stand in the prompts. `ready` is the answer of manner READY, whose marks are of `sources`. `nearest` are
    the passages to be named where nothing states the answer. `of_each`: a walk tells something of every document, not
    which ones are meant, and `concludes` from it. `is_prepared`: the answer was made before the question came.
    """

    route: Route
    manner: Manner = Manner.ASKED
    question: str = ""
    said: str = ""
    asks: tuple[Ask, ...] = ()
    query: str = ""
    sources: tuple[Passage, ...] = ()
    relies_on: frozenset[int] = frozenset()
    ready: str = ""
    nearest: tuple[Passage, ...] = ()
    of_each: bool = False
    concludes: bool = False
    is_prepared: bool = False

    @property
    def messages(self) -> tuple[ChatMessage, ...]:
        """The first prompt, which is kept with the turn."""
        return self.asks[0].messages if self.asks else ()
