"""Turns what a model replies about its sources into what a person is shown: the quote first, then the answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from projects.answering.checking import Checked
from projects.answering.draft import Draft
from projects.answering.quoting import Quote, is_nothing, locate
from projects.answering.reply import Reply
from projects.answering.sentences import terms
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
    """The source states an answer, as far as has been shown."""
    is_doubtful: bool = False
    """What has been heard speaks neither for an answer nor against: it is held until somebody decides."""
    _reply: Reply = field(default_factory=Reply)
    _located: bool = False
    _held: str = ""
    _number: int = 0

    @classmethod
    def of(cls, ask: Ask, question: str, said: str, draft: Draft) -> Hearing:
        """Begin to hear the reply to `ask`; `said` are the words of the person and of earlier answers."""
        texts = [said, *(source.text for source in ask.sources), *(source.opening for source in ask.sources)]
        return cls(ask, question, draft, Checked.against(texts))

    @property
    def is_empty(self) -> bool:
        """The model has not said a word."""
        return not self._reply.quote and not self._reply.answer.strip()

    @property
    def document_id(self) -> int:
        """The document that is quoted, 0 where none is."""
        return self.ask.sources[self.quote.number - 1].document_id if self.quote else 0

    def feed(self, text: str) -> str:
        """Take the next piece; return the words that can be shown now."""
        return self._words(self._reply.feed(text), last=False)

    def end(self) -> str:
        """Say that nothing follows; return the last words, unless they are in doubt."""
        return self._words(self._reply.end(), last=True)

    def believed(self) -> str:
        """Return the words that were in doubt, as the answer."""
        self.is_doubtful = False
        return self._told(last=True)

    def settled(self, text: str) -> str:
        """Return the answer as it is kept: an answer without a quote gets the marks of what supports it."""
        if self.quote is not None:
            return f"{self._shown_quote(self.quote)}{self.checked.kept.strip()} [{self._number}]"
        if self._reply.quote:
            return self.draft.traced(self.checked.kept, self.ask.sources)
        checked = Checked(self.checked.values)
        checked.feed(text)
        checked.end()
        return self.draft.traced(checked.kept, self.ask.sources)

    def _shown_quote(self, quote: Quote) -> str:
        return f"“{' '.join(quote.text.split())}” [{self._number}]\n\n"

    def _words(self, added: str, *, last: bool) -> str:
        if self._reply.quote is None:
            return ""
        if not self._located:
            self._locate(self._reply.quote)
        keeps_to_the_form = bool(self._reply.quote)
        self._held += self.checked.feed(added) if keeps_to_the_form else added
        if last and keeps_to_the_form:
            self._held += self.checked.end()
        if self._is_silent(last=last):
            self.is_doubtful = self.is_doubtful and not last
            return ""
        return "" if self.is_doubtful else self._told(last=last)

    def _locate(self, copied: str) -> None:
        """Look for the quote. One that is nowhere, or has no word of the question, is no proof of an answer."""
        self._located, self.quote = True, locate(copied, self.ask.sources, self.question)
        if copied:
            shown = self.quote.text if self.quote is not None else ""
            self.is_doubtful = not terms(self.question) & terms(shown)

    def _told(self, *, last: bool) -> str:
        words, self._held = self._held, ""
        if self.quote is None:
            self.states = self.states or bool(words.strip())
            return words
        if not self.states:
            self.states = True
            self._number = self.draft.mark(self.ask.sources[self.quote.number - 1], self.quote)
            words = self._shown_quote(self.quote) + words
        return f"{words.rstrip()} [{self._number}]" if last else words

    def _is_silent(self, *, last: bool) -> bool:
        answer = self._reply.answer
        return is_silence(answer) or is_nothing(answer) if last else may_be_silence(answer)
