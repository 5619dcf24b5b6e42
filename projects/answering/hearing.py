"""Turns what a model replies about its sources into what a person is shown: the quote first, then the answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from projects.answering.checking import Checked
from projects.answering.draft import Draft
from projects.answering.pointing import lines_of
from projects.answering.quoting import Quote, is_nothing, locate
from projects.answering.reply import Reply
from projects.answering.sentences import figures, terms
from projects.answering.silence import is_silence, may_be_silence
from projects.answering.ways import Ask

HOLDS = 0.6
"""Of what an answer says beyond the question: the share that a line must hold to be what the answer rests on."""


@dataclass(frozen=True)
class Claim:
    """An answer that may be believed, and the line that it rests on; `holds` is the share of it that is in the line."""

    quote: Quote
    holds: float


@dataclass
class Hearing:
    """One reply while it comes.

    A reply in two parts, a quote and an answer, is held until somebody believes it: `claim` says what there is to be
    believed, a quote only as its source has it and sentences only if their figures are there. A reply that does not
    keep to the form is shown as it comes, and settled at its end, unless `holds_back`; then nothing may be left of it.
    """

    ask: Ask
    question: str
    draft: Draft
    checked: Checked
    holds_back: bool = False
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
    def of(cls, ask: Ask, question: str, said: str, draft: Draft, *, holds_back: bool = False) -> Hearing:
        """Begin to hear the reply to `ask`; `said` are the words of the person and of earlier answers."""
        texts = [said, *(source.text for source in ask.sources), *(source.opening for source in ask.sources)]
        return cls(ask, question, draft, Checked.against(texts), holds_back)

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

    def claim(self) -> Claim | None:
        """Return the doubtful answer with the line it rests on: the one that was copied, else the one that holds it."""
        answer = self.checked.kept
        if not self.is_doubtful or not answer.strip() or is_silence(answer) or is_nothing(answer):
            return None
        fresh = terms(answer) - terms(self.question)
        if self.quote is not None:
            return Claim(self.quote, share_of(fresh, self.quote.text))
        lines = lines_of(self.ask.sources) if fresh else ()
        best = max(lines, key=lambda line: share_of(fresh, line.text), default=None)
        if best is None or share_of(fresh, best.text) < HOLDS:
            return None
        return Claim(best, share_of(fresh, best.text))

    def believed(self, claim: Claim) -> str:
        """Return the words that were in doubt, as the answer."""
        self.is_doubtful, self.quote = False, claim.quote
        self._held = self.checked.kept
        return self._told(last=True)

    def settled(self) -> str:
        """Return the answer as it is kept: an answer without a quote gets the marks of what supports it."""
        if self.quote is not None:
            return f"{self._shown_quote(self.quote)}{self.checked.kept.strip()} [{self._number}]"
        return self.draft.traced(self.checked.kept, self.ask.sources)

    def _shown_quote(self, quote: Quote) -> str:
        return f"“{' '.join(quote.text.split())}” [{self._number}]\n\n"

    def _words(self, added: str, *, last: bool) -> str:
        if self._reply.quote is None:
            return ""
        if not self._located:
            self._locate(self._reply.quote)
        is_held = bool(self._reply.quote) or self.holds_back
        kept = self.checked.feed(added) + (self.checked.end() if last else "")
        self._held += kept if is_held else added
        if self._is_silent(last=last):
            self.is_doubtful = self.is_doubtful and not last
            return ""
        words = "" if self.is_doubtful else self._told(last=last)
        if last and not self.checked.kept.strip():
            self.states = False  # what was shown of it ended before figures that no source has
        return words

    def _locate(self, copied: str) -> None:
        """Look for the quote. A line that is there may still be one that does not answer."""
        self._located, self.quote = True, locate(copied, self.ask.sources, self.question)
        self.is_doubtful = self.holds_back or bool(copied)

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


def share_of(words: frozenset[str], line: str) -> float:
    """Return the share of words and figures that a line holds, figures counted twice; 1 where there are none."""
    held, exact = terms(line), figures(words)
    whole = len(words) + len(exact)
    return (len(words & held) + len(exact & held)) / whole if whole else 1.0
