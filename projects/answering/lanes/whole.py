"""An answer from one document read from beginning to end: every line of it that belongs to what was asked."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

from inference.contracts import Delta
from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent, Looking
from projects.answering.lanes.asked import refusal
from projects.answering.quoting import Places, Quote
from projects.answering.talk import Talk
from projects.answering.ways import Ask, Way
from study.sentences import sentences

_LINE = re.compile(r"^\s*(?:[-*•]|\d+[.)])?\s*(\S.*)$")


async def whole(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Have every line copied that belongs; a line is shown once, and only if the document has it."""
    said: set[str] = set()
    for at, ask in enumerate(way.asks):
        yield Looking(at, len(way.asks), ask.label.partition(":")[0])
        copied = _Copied(ask, Places(ask.sources), way.question, draft, said)
        rest = ""
        async with aclosing(talk.ask(ask.messages, keep=ask.keep)) as events:
            async for event in events:
                if not isinstance(event, Delta):
                    yield event
                    continue
                *lines, rest = (rest + event.text).split("\n")
                for line in lines:
                    if words := copied.shown(line):
                        yield draft.say(words)
        if words := copied.shown(rest):
            yield draft.say(words)
    if not said:
        yield draft.say(await refusal(way, draft))
    draft.text = draft.text.strip()


@dataclass(frozen=True)
class _Copied:
    """What a reply copies from one request's sources; `said` are the lines that the answer has already."""

    ask: Ask
    places: Places
    question: str
    draft: Draft
    said: set[str]

    def shown(self, line: str) -> str:
        """Return the lines of the document that a line of the reply means; of several sentences each may mean one."""
        match = _LINE.match(line)
        if match is None:
            return ""
        quotes = [self.places.locate(match[1], self.question)]
        if quotes == [None]:
            quotes = [self.places.locate(sentence, self.question) for sentence in sentences(match[1])]
        return "".join(self._line(quote) for quote in quotes if quote is not None and quote.text not in self.said)

    def _line(self, quote: Quote) -> str:
        self.said.add(quote.text)
        number = self.draft.mark(self.ask.sources[quote.number - 1], quote)
        return f"- {' '.join(quote.text.split())} [{number}]\n"
