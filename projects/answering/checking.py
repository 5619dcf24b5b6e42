"""Holds an answer to its sources, sentence by sentence, while it comes: no figure that they do not have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from projects.answering.citations import MARK
from study.faithful import Values
from study.sentences import sentences

_FIGURE = re.compile(r"\S*(?:\d|\[)")


@dataclass
class Checked:
    """Keeps the sentences whose every number, date and identifier is in `values`, and the others apart.

    `kept` is what holds of what has come. What `feed` gives to be shown ends before the first figure of a sentence
    until that is whole: no figure is shown that is not there, though the words before one may be taken back.
    """

    values: Values
    kept: str = ""
    dropped: list[str] = field(default_factory=list)
    _held: str = ""
    _shown: int = 0

    @classmethod
    def against(cls, texts: Iterable[str]) -> Checked:
        """Check against texts: the sources, the question, and what was said before."""
        return cls(Values.of("\n\n".join(texts)))

    def feed(self, text: str) -> str:
        """Take a piece of the answer; return what can be shown of it now."""
        self._held += text
        words = "".join(self._judged(sentence) for sentence in sentences(self._held)[:-1])
        return words + self._before_figures()

    def end(self) -> str:
        """Say that nothing follows; return what can be shown of the rest."""
        words = "".join(self._judged(sentence) for sentence in sentences(self._held))
        self._held, self._shown = "", 0
        return words

    def _judged(self, sentence: str) -> str:
        """Take a whole sentence from the beginning of what is held; return what of it has not been shown."""
        end = self._held.index(sentence) + len(sentence)
        whole, self._held = self._held[:end], self._held[end:]
        rest, self._shown = whole[self._shown :], 0
        if self.values.lacks(MARK.sub("", sentence)):
            self.dropped.append(sentence)
            return ""
        self.kept += whole
        return rest

    def _before_figures(self) -> str:
        """Return the words of a sentence that is not whole, up to its first figure and without a last half word."""
        figure = _FIGURE.search(self._held)
        end = figure.start() if figure else self._held.rfind(" ") + 1
        words = self._held[self._shown : end]
        self._shown = max(self._shown, end)
        return words
