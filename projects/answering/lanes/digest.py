"""An answer from the descriptions of all documents."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from inference.contracts import Delta
from projects.answering.checking import Checked
from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent
from projects.answering.talk import Talk
from projects.answering.ways import Way


async def from_digest(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Ask at the end of the digest; sentences with figures that no description has are left out.

    Its words are the study's: a mark cites the document and quotes nothing.
    """
    (ask,) = way.asks
    told = [source.text for source in ask.sources]
    # How many documents there are is told by counting the descriptions.
    checked = Checked.against([way.said, str(len(told)), *told])
    async with aclosing(talk.ask(ask.messages)) as events:
        async for event in events:
            if not isinstance(event, Delta):
                yield event
            elif words := checked.feed(event.text):
                yield draft.say(words)
    if words := checked.end():
        yield draft.say(words)
    draft.text = draft.traced(checked.kept, ask.sources, quoting=False)
