"""An answer that is there already: prepared by the model, or made of what was learned without asking it."""

from __future__ import annotations

from collections.abc import AsyncIterator

from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent, Stage
from projects.answering.talk import Talk
from projects.answering.ways import Way


async def ready(way: Way, _: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Say it. The marks of a model are checked; those of a list that was made from its sources stand for them."""
    yield Stage("answering")
    yield draft.say(way.ready)
    if way.is_prepared:
        draft.text = draft.traced(way.ready, way.sources, quoting=False)
    else:
        for source in way.sources:
            draft.mark(source, None)
