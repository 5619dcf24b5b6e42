"""Takes apart, while it comes, what a model replies when it is asked for a line of its source first: quote, answer.

A model that does not keep to the form is taken as it is: a reply without the first label is all answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_QUOTE = re.compile(r"[\s*_#>-]*(quote|zitat|citation|cita)\**\s*:\**[ \t]*", re.IGNORECASE)
_ANSWER = re.compile(r"\s*\**\b(answer|antwort|réponse|reponse|respuesta)\**\s*:\**[ \t]*", re.IGNORECASE)
_MAY_BEGIN = re.compile(
    r"[\s*_#>-]*(q|qu|quo|quot|quote|z|zi|zit|zita|zitat|c|ci|cit|cita|citat\w*)?\**\s*", re.IGNORECASE
)


@dataclass
class Reply:
    """The parts of one reply so far. `quote` is None until it is whole; a reply without one has an empty quote."""

    quote: str | None = None
    answer: str = ""
    _unread: str = field(default="", repr=False)
    _in_quote: bool = field(default=False, repr=False)

    def feed(self, text: str) -> str:
        """Take the next piece; return what it adds to the answer."""
        if self.quote is not None:
            return self._more(text)
        self._unread += text
        if not self._in_quote:
            label = _QUOTE.match(self._unread)
            if label is None:
                return "" if _MAY_BEGIN.fullmatch(self._unread) else self._begin("", self._unread)
            self._in_quote, self._unread = True, self._unread[label.end() :]
        label = _ANSWER.search(self._unread)
        if label is None or label.end() == len(self._unread):
            return ""  # the label is not there yet, or white space behind it may follow
        return self._begin(self._unread[: label.start()], self._unread[label.end() :])

    def end(self) -> str:
        """Say that nothing follows; return what that adds to the answer."""
        if self.quote is not None:
            return ""
        if not self._in_quote:
            return self._begin("", self._unread)
        label = _ANSWER.search(self._unread)
        return self._begin(self._unread[: label.start()] if label else self._unread, "")

    def _begin(self, quote: str, answer: str) -> str:
        self.quote, self._unread = quote.strip().strip("\"“”„«»'`").strip(), ""
        return self._more(answer)

    def _more(self, text: str) -> str:
        fresh = text.lstrip() if not self.answer else text
        self.answer += fresh
        return fresh
