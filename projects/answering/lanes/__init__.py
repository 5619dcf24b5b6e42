"""How an answer is made, one module for each manner; all of them say what happens as events and write into a draft."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable

from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent
from projects.answering.lanes.asked import asked
from projects.answering.lanes.digest import from_digest
from projects.answering.lanes.ready import ready
from projects.answering.lanes.walked import walked
from projects.answering.lanes.whole import whole
from projects.answering.talk import Talk
from projects.answering.ways import Manner, Way

Maker = Callable[[Way, Talk, Draft], AsyncIterator[AnswerEvent]]

_MAKERS: dict[Manner, Maker] = {
    Manner.READY: ready,
    Manner.DIGEST: from_digest,
    Manner.ASKED: asked,
    Manner.WALKED: walked,
    Manner.WHOLE: whole,
}


def make(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Make an answer in its manner; the draft has it when the iterator ends. Raises InferenceError."""
    return _MAKERS[way.manner](way, talk, draft)
