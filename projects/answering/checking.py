"""Holds an answer to its sources, sentence by sentence, while it comes: no figure that they do not have."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from study.faithful import Values
from study.sentences import sentences

_MARK = re.compile(r"\s*\[\s*\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*\s*\]")


@dataclass
class Checked:
    """Lets through the sentences whose every number, date and identifier is in `values`; keeps the others apart."""

    values: Values
    dropped: list[str] = field(default_factory=list)
    _held: str = ""

    @classmethod
    def against(cls, texts: Iterable[str]) -> Checked:
        """Check against texts: the sources, the question, and what was said before."""
        return cls(Values.of("\n\n".join(texts)))

    def feed(self, text: str) -> str:
        """Take a piece of the answer; return the sentences that are whole now and hold."""
        self._held += text
        whole = sentences(self._held)[:-1]
        if not whole:
            return ""
        end = self._held.rindex(whole[-1]) + len(whole[-1])
        ready, self._held = self._held[:end], self._held[end:]
        return self._kept(ready)

    def end(self) -> str:
        """Say that nothing follows; return the last sentence if it holds."""
        ready, self._held = self._held, ""
        return self._kept(ready)

    def _kept(self, text: str) -> str:
        kept = text
        for sentence in sentences(text):
            if self.values.lacks(_MARK.sub("", sentence)):
                self.dropped.append(sentence)
                kept = kept.replace(sentence, "", 1)
        return kept if kept.strip() else ""
