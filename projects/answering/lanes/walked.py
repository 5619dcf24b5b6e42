"""An answer that each document was asked for: which ones are meant, or what each of them says."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import aclosing
from dataclasses import dataclass

from inference.contracts import Delta
from projects.answering.checking import Checked
from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent, Looking
from projects.answering.phrases import phrases_for
from projects.answering.quoting import Quote, is_nothing, locate
from projects.answering.reply import Reply
from projects.answering.silence import is_silence
from projects.answering.talk import Talk
from projects.answering.ways import Ask, Way

ANSWER_TOKENS = 120
_YES = re.compile(r"\W*(yes|ja|oui|s[ií]|true)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Verdict:
    """What one document says: that it is one of those meant, or its own answer (empty if it says nothing)."""

    belongs: bool
    answer: str
    quote: Quote | None


async def walked(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Ask every document, say each that belongs as soon as it is known, and at the end how many of how many."""
    phrases = phrases_for(way.question)
    documents: dict[int, bool] = {}
    for at, ask in enumerate(way.asks):
        yield Looking(at, len(way.asks), ask.label.partition(":")[0])
        reply = Reply()
        async with aclosing(talk.ask(ask.messages, ANSWER_TOKENS)) as events:
            async for event in events:
                if isinstance(event, Delta):
                    reply.feed(event.text)
        reply.end()
        verdict = judged(reply, ask, way)
        document_id = ask.sources[0].document_id
        documents[document_id] = documents.get(document_id, False) or verdict.belongs
        if line := _line(verdict, ask, draft, of_each=way.of_each):
            yield draft.say(line)
    count = sum(documents.values())
    head = (phrases.some if count else phrases.none).format(count=count, of=len(documents))
    draft.text = f"{head}\n{draft.text.strip()}".strip()


def judged(reply: Reply, ask: Ask, way: Way) -> Verdict:
    """Return what a document's reply means; a figure that it does not have is no answer of its own."""
    quote = locate(reply.quote or "", ask.sources, way.question)
    if not way.of_each:
        return Verdict(_YES.match(reply.answer) is not None, "", quote)
    answer = "" if is_nothing(reply.answer) or is_silence(reply.answer) else " ".join(reply.answer.split())
    if answer and Checked.against([way.said, *(source.text for source in ask.sources)]).values.lacks(answer):
        answer = ""
    if not answer and quote is not None and not is_nothing(reply.quote or ""):
        answer = " ".join(quote.text.split())
    return Verdict(bool(answer), answer, quote)


def _line(verdict: Verdict, ask: Ask, draft: Draft, *, of_each: bool) -> str:
    if not verdict.belongs:
        return ""
    name, _, what = ask.label.partition(":")
    mark = ""
    if verdict.quote is not None:
        mark = f" [{draft.mark(ask.sources[verdict.quote.number - 1], verdict.quote)}]"
    if of_each:
        return f"- {name} ({what.strip()}): {verdict.answer}{mark}\n"
    quote = f" “{' '.join(verdict.quote.text.split())}”" if verdict.quote else ""
    return f"- {name}: {what.strip()}{quote}{mark}\n"
