"""An answer from one document read from beginning to end: every line of it that belongs to what was asked."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing

from inference.contracts import Delta
from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent, Looking
from projects.answering.lanes.asked import refusal
from projects.answering.quoting import locate
from projects.answering.talk import Talk
from projects.answering.ways import Ask, Way
from study.sentences import sentences

_LINE = re.compile(r"^\s*(?:[-*•]|\d+[.)])?\s*(\S.*)$")


async def whole(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Have every line copied that belongs; a line is shown once, and only if the document has it."""
    said: set[str] = set()
    for at, ask in enumerate(way.asks):
        yield Looking(at, len(way.asks), ask.label.partition(":")[0])
        rest = ""
        async with aclosing(talk.ask(ask.messages)) as events:
            async for event in events:
                if not isinstance(event, Delta):
                    yield event
                    continue
                *lines, rest = (rest + event.text).split("\n")
                for line in lines:
                    if words := _shown(line, ask, way, draft, said):
                        yield draft.say(words)
        if words := _shown(rest, ask, way, draft, said):
            yield draft.say(words)
    if not said:
        yield draft.say(refusal(way, draft))
    draft.text = draft.text.strip()


def _shown(line: str, ask: Ask, way: Way, draft: Draft, said: set[str]) -> str:
    """Return the lines of the document that a line of the reply means; one of several sentences may mean several."""
    match = _LINE.match(line)
    if match is None:
        return ""
    quotes = [locate(match[1], ask.sources, way.question)]
    if quotes == [None]:
        quotes = [locate(sentence, ask.sources, way.question) for sentence in sentences(match[1])]
    shown = ""
    for quote in quotes:
        if quote is not None and quote.text not in said:
            said.add(quote.text)
            number = draft.mark(ask.sources[quote.number - 1], quote)
            shown += f"- {' '.join(quote.text.split())} [{number}]\n"
    return shown
