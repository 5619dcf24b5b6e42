"""An answer from the text itself, quoted: of the first source that states it; else the nearest passages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import aclosing

from inference.contracts import Delta
from projects.answering.citations import best_quote
from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent
from projects.answering.hearing import Hearing
from projects.answering.phrases import phrases_for
from projects.answering.quoting import Quote
from projects.answering.talk import Talk
from projects.answering.ways import Ask, Way

LIKELY = 0.55
"""Of 'Yes' against 'No' to whether the text states the answer, from which on a doubtful reply is believed."""
NEAREST = 3
"""Passages that are named where nothing states the answer."""


async def asked(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Ask one source after the other until one states an answer."""
    heard = False
    for ask in way.asks:
        hearing = Hearing.of(ask, way.question, way.said, draft)
        async with aclosing(talk.ask(ask.messages, keep=ask.keep)) as events:
            async for event in events:
                if not isinstance(event, Delta):
                    yield event
                elif words := hearing.feed(event.text):
                    yield draft.say(words)
        if words := hearing.end():
            yield draft.say(words)
        if hearing.is_doubtful and await is_stated(ask, talk) and (words := hearing.believed()):
            yield draft.say(words)
        if hearing.states:
            draft.text = hearing.settled(draft.text)
            if which := ask.labels.get(hearing.document_id, ""):
                yield draft.say(f"\n\n({which})")
            return
        heard = heard or not hearing.is_empty
    if heard:
        yield draft.say(refusal(way, draft))


async def is_stated(ask: Ask, talk: Talk) -> bool:
    """Ask the model whether the sources state an answer, where its own reply leaves that in doubt.

    A server that tells no chances is believed. Raises InferenceError.
    """
    chance = await talk.chance(ask.asking(ask.check)) if ask.check else None
    return chance is None or chance >= LIKELY


def refusal(way: Way, draft: Draft) -> str:
    """Say that nothing states the answer, and what comes nearest to it."""
    phrases = phrases_for(way.question)
    lines = [phrases.not_stated]
    for passage in way.nearest[:NEAREST]:
        span = best_quote(passage, way.question)
        quote = Quote(0, span.start, passage.text[span.start : span.end])
        lines.append(f"- {passage.document}: “{' '.join(quote.text.split())}” [{draft.mark(passage, quote)}]")
    if len(lines) > 1:
        lines.insert(1, f"\n{phrases.nearest}")
    return "\n".join(lines)
