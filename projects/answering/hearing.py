"""Turns what a model replies about its sources into what a person is shown: the quote first, then the answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from projects.answering.checking import Checked
from projects.answering.draft import Draft
from projects.answering.quoting import Quote, is_nothing, locate
from projects.answering.reply import Reply
from projects.answering.silence import is_silence, may_be_silence
from projects.answering.ways import Ask


@dataclass
class Hearing:
    """One reply while it comes.

    Of a reply in two parts nothing is shown before it is sure to stand: a quote only as its source has it, a sentence
    only if its figures are there, and neither while the reply may still say that the source does not say. A reply that
    does not keep to the form is shown as it comes, and settled at its end.
    """

    ask: Ask
    question: str
    draft: Draft
    checked: Checked
    quote: Quote | None = None
    states: bool = False
    """The source states an answer, as far as is known."""
    _reply: Reply = field(default_factory=Reply)
    _located: bool = False
    _held: str = ""
    _number: int = 0

    @classmethod
    def of(cls, ask: Ask, question: str, said: str, draft: Draft) -> Hearing:
        """Begin to hear the reply to `ask`; `said` are the words of the person and of earlier answers."""
        texts = [said, *(source.text for source in ask.sources), *(source.opening for source in ask.sources)]
        return cls(ask, question, draft, Checked.against(texts))

    def feed(self, text: str) -> str:
        """Take the next piece; return the words that can be shown now."""
        return self._words(self._reply.feed(text), last=False)

    def end(self) -> str:
        """Say that nothing follows; return the last words."""
        return self._words(self._reply.end(), last=True)

    @property
    def is_empty(self) -> bool:
        """The model has not said a word."""
        return not self._reply.quote and not self._reply.answer.strip()

    def settled(self, text: str) -> str:
        """Return the answer as it is kept: an answer without a quote gets the marks of what supports it."""
        if self.quote is not None:
            return text.strip()
        checked = Checked(self.checked.values)
        return self.draft.traced(checked.feed(text) + checked.end(), self.ask.sources)

    def _words(self, added: str, *, last: bool) -> str:
        if self._reply.quote is None:
            return ""
        if not self._located:
            self._located, self.quote = True, locate(self._reply.quote, self.ask.sources, self.question)
        if self.quote is None and self._reply.quote:
            return self._unfounded(last=last)
        self._held += added if self.quote is None else self.checked.feed(added)
        if last and self.quote is not None:
            self._held += self.checked.end()
        if self._is_silent(last=last):
            return ""
        words, self._held = self._held, ""
        if self.quote is None:
            self.states = self.states or bool(words.strip())
            return words
        return self._behind_quote(self.quote, words, last=last)

    def _behind_quote(self, quote: Quote, words: str, *, last: bool) -> str:
        if not self.states:
            self.states = True
            self._number = self.draft.mark(self.ask.sources[quote.number - 1], quote)
            words = f"“{' '.join(quote.text.split())}” [{self._number}]\n\n{words}"
        if not last:
            return words
        return f"{words.rstrip()} [{self._number}]"

    def _unfounded(self, *, last: bool) -> str:
        """Show an answer whose quote is not there, or none, only if its own words are: at its end."""
        answer = self._reply.answer
        if not last or is_nothing(answer) or self._is_silent(last=True):
            return ""
        kept = self.checked.feed(answer) + self.checked.end()
        known = len(self.draft.marks)
        self.draft.traced(kept, self.ask.sources)
        self.states = len(self.draft.marks) > known
        del self.draft.marks[known:]
        return kept if self.states else ""

    def _is_silent(self, *, last: bool) -> bool:
        answer = self._reply.answer
        return is_silence(answer) or is_nothing(answer) if last else may_be_silence(answer)
