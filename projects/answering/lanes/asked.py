"""An answer from the text itself, quoted: of the first source that states it; else the nearest passages."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

from inference.contracts import Delta
from projects.answering.draft import Draft
from projects.answering.events import AnswerEvent, Looking
from projects.answering.hearing import HOLDS, Claim, Hearing
from projects.answering.likeness import nearest
from projects.answering.phrases import phrases_for
from projects.answering.pointing import lines_of
from projects.answering.prompt import line_question, pointed_question
from projects.answering.quoting import Quote
from projects.answering.talk import Talk
from projects.answering.ways import Ask, Way

SURE = 0.65
"""Of 'Yes' against 'No' to whether a line answers the question, from which on it is taken without a second look."""
LIKELY = 0.6
"""The same, together with whether the text states the answer at all, from which on a second look is believed."""
HOPELESS = 0.45
"""Of 'Yes' to whether the text states the answer: below it a second look would find something else."""
NEAREST = 3
"""Lines that are named where nothing states the answer."""


async def asked(way: Way, talk: Talk, draft: Draft) -> AsyncIterator[AnswerEvent]:
    """Ask one source after the other until one states an answer."""
    heard = False
    for at, ask in enumerate(way.asks):
        if at:  # nothing was found in the one before
            yield Looking(at, len(way.asks), ask.sources[0].document)
        inquiry = Inquiry(way, ask, talk, draft)
        async for event in inquiry.run():
            yield event
        if inquiry.is_answered:
            if which := ask.labels.get(inquiry.hearing.document_id, ""):
                yield draft.say(f"\n\n({which})")
            return
        heard = heard or not inquiry.hearing.is_empty
    if heard:
        yield draft.say(await refusal(way, draft))


class Inquiry:
    """The questions to one source: for a line and an answer, and in doubt whether that is one; then with a hint."""

    def __init__(self, way: Way, ask: Ask, talk: Talk, draft: Draft) -> None:
        self.hearing = Hearing.of(ask, way.question, way.said, draft)
        self._way, self._ask, self._talk, self._draft = way, ask, talk, draft
        self._chances: dict[Quote, float] = {}

    @property
    def is_answered(self) -> bool:
        """An answer was given."""
        return self.hearing.states

    async def run(self) -> AsyncIterator[AnswerEvent]:
        """Ask, and say the answer if there is one. Raises InferenceError."""
        async with aclosing(self._talk.ask(self._ask.messages, keep=self._ask.keep)) as events:
            async for event in events:
                if not isinstance(event, Delta):
                    yield event
                elif words := self.hearing.feed(event.text):
                    yield self._draft.say(words)
        if words := self.hearing.end():
            yield self._draft.say(words)
        if not self.hearing.states:
            self._draft.text = ""
            if words := await self._judged():
                yield self._draft.say(words)
        if self.hearing.states:
            self._draft.text = self.hearing.settled()

    async def _judged(self) -> str:
        """Return the answer that was held back, if it holds, or the one of a second look; empty if none does."""
        first = self.hearing.claim()
        if first and await self._answers(first.quote) >= SURE:
            return self.hearing.believed(first)
        stated = await self._chance(self._ask.check) if self._ask.check else 1.0
        if stated < HOPELESS:
            return ""
        second = await self._with_hint()
        claims = [(hearing, claim) for hearing in (self.hearing, second) if (claim := hearing.claim())]
        if not claims:
            return ""
        for _, claim in claims:
            await self._answers(claim.quote)
        hearing, claim = max(claims, key=lambda pair: self._standing(pair[1]))
        if (self._chances[claim.quote] + stated) / 2 < LIKELY:
            return ""
        self.hearing = hearing
        return hearing.believed(claim)

    async def _with_hint(self) -> Hearing:
        """Ask again, with the lines that are nearest to the question before it; nothing of it is shown yet."""
        near = await asyncio.to_thread(nearest, self._ask.sources, self._way.query)
        hearing = Hearing.of(self._ask, self._way.question, self._way.said, self._draft, holds_back=True)
        question = pointed_question(self._way.said, [line.text for line in near])
        async with aclosing(self._talk.ask(self._ask.asking(question))) as events:
            async for event in events:
                if isinstance(event, Delta):
                    hearing.feed(event.text)
        hearing.end()
        return hearing

    def _standing(self, claim: Claim) -> tuple[bool, float]:
        return claim.holds >= HOLDS, self._chances[claim.quote]

    async def _answers(self, quote: Quote) -> float:
        if quote not in self._chances:
            self._chances[quote] = await self._chance(line_question(self._way.said, quote.text))
        return self._chances[quote]

    async def _chance(self, question: str) -> float:
        """Return how likely the model says Yes; a server that tells no chances is believed. Raises InferenceError."""
        chance = await self._talk.chance(self._ask.asking(question))
        return 1.0 if chance is None else chance


async def refusal(way: Way, draft: Draft) -> str:
    """Say that nothing states the answer, and which lines come nearest to it."""
    phrases = phrases_for(way.question)
    lines = [phrases.not_stated]
    near = await asyncio.to_thread(nearest, way.nearest, way.query) or lines_of(way.nearest)
    for line in near[:NEAREST]:
        passage = way.nearest[line.number - 1]
        lines.append(f"- {passage.document}: “{' '.join(line.text.split())}” [{draft.mark(passage, line)}]")
    if len(lines) > 1:
        lines.insert(1, f"\n{phrases.nearest}")
    return "\n".join(lines)
