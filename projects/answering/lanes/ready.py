"""An answer that is there already: prepared, or made of what was learned without asking the model."""

from __future__ import annotations

from collections.abc import AsyncIterator

from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent, Stage
from projects.answering.talk import Talk
from projects.answering.ways import Way


async def ready(way: Way, _: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Say it."""
    yield Stage("answering")
    yield draft.say(way.ready)
    draft.text = draft.traced(way.ready, way.sources, quoting=False)
