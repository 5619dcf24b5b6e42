"""An answer that each document was asked for: which ones are meant, or what each of them says."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing

from inference.contracts import ChatMessage, Delta
from projects.answering.checking import Checked
from projects.answering.citations import MARK
from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent, Looking
from projects.answering.phrases import phrases_for
from projects.answering.prompt import conclusion
from projects.answering.quoting import is_nothing, locate
from projects.answering.reply import Reply
from projects.answering.silence import is_silence
from projects.answering.talk import Talk
from projects.answering.ways import Ask, Way
from projects.answering.weighing import chosen
from study.faithful import Values

ANSWER_TOKENS = 80


async def walked(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Ask every document; say at the beginning of the answer of how many of how many it tells."""
    say = _each if way.of_each else _which
    async for event in say(way, talk, draft):
        yield event
    phrases = phrases_for(way.question)
    of = len({_document(ask) for ask in way.asks})
    count = len({mark.document_id for mark in draft.marks})
    head = (phrases.some if draft.text.strip() else phrases.none).format(count=count, of=of)
    told = draft.text.strip()
    concluded = await _conclusion(way, talk, told) if way.concludes and count > 1 else ""
    draft.text = "\n\n".join(filter(None, [concluded, f"{head}\n{told}".strip()]))


async def _each(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Say of every document what it answers, as soon as it is known."""
    for at, ask in enumerate(way.asks):
        yield Looking(at, len(way.asks), _name(ask))
        if line := _told(await _heard(talk, ask.messages, ask.keep), ask, way, draft):
            yield draft.say(line)


async def _conclusion(way: Way, talk: Talk, told: str) -> str:
    """Return what the model concludes from the lines, without sentences whose figures are in none of them."""
    lines = MARK.sub("", told)
    counts = " ".join(map(str, range(1, len(way.asks) + 1)))
    checked = Checked.against([way.said, lines, counts])
    checked.feed(await _heard(talk, conclusion(way.said, lines)))
    checked.end()
    return checked.kept.strip()


async def _which(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Find out which documents are meant, by how likely the model says Yes of each; then show why."""
    likely: list[float] = []
    for at, ask in enumerate(way.asks):
        yield Looking(at, len(way.asks), _name(ask))
        likely.append(await _likelihood(ask, way, talk))
    for at in chosen(likely):
        ask = way.asks[at]
        reply = Reply()
        reply.feed(await _heard(talk, ask.messages, ask.keep))
        reply.end()
        quote = locate(reply.quote or reply.answer, ask.sources, way.question)
        source = ask.sources[quote.number - 1 if quote else 0]
        mark = draft.mark(source, quote)
        why = f" “{' '.join(quote.text.split())}”" if quote else ""
        yield draft.say(f"- {ask.label}{why} [{mark}]\n")


async def _likelihood(ask: Ask, way: Way, talk: Talk) -> float:
    """Return how likely a document is one of those meant; 0 where it has not the figures and dates of the question."""
    if Values.of("\n".join(source.text for source in ask.sources)).lacks(way.question):
        return 0.0
    likely = await talk.chance(ask.asking(ask.check), keep=ask.keep)
    return 1.0 if likely is None else likely


async def _heard(talk: Talk, messages: Sequence[ChatMessage], keep: int = 0) -> str:
    text = ""
    async with aclosing(talk.ask(messages, ANSWER_TOKENS, keep=keep)) as events:
        async for event in events:
            if isinstance(event, Delta):
                text += event.text
    return text


def _told(answer: str, ask: Ask, way: Way, draft: Draft) -> str:
    """Return the line for a document's answer; empty if it has none, or one that does not stand in the document."""
    answer = " ".join(answer.split())
    sources = [source.text for source in ask.sources]
    if is_nothing(answer) or is_silence(answer) or Checked.against([way.said, *sources]).values.lacks(answer):
        return ""
    quote = locate(answer, ask.sources, way.question)
    if quote is None:
        return ""
    mark = draft.mark(ask.sources[quote.number - 1], quote)
    name, _, what = ask.label.partition(":")
    return f"- {name} ({what.strip()}): {answer} [{mark}]\n"


def _name(ask: Ask) -> str:
    return ask.label.partition(":")[0]


def _document(ask: Ask) -> int:
    return ask.sources[0].document_id
