"""An answer while it is written: its words and the places that its marks stand for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from projects.answering.citations import cite
from projects.answering.events import Text
from projects.answering.quoting import Quote
from projects.answering.turns import CitedMark
from projects.retrieval.passages import Passage


@dataclass
class Draft:
    """What has been said so far. Marks count from 1 in the order in which they are made."""

    text: str = ""
    marks: list[CitedMark] = field(default_factory=list)

    def say(self, words: str) -> Text:
        """Add words to the answer as they stand; return the event that shows them."""
        self.text += words
        return Text(words)

    def mark(self, source: Passage, quote: Quote | None) -> int:
        """Return the number under which a quote of a source is cited, or without one the document as a whole."""
        if quote is None:
            return self._number(CitedMark(0, source.document_id, 0, None, ""))
        page = source.page_at(quote.start)
        return self._number(CitedMark(0, source.document_id, source.chunk_id, page, quote.text))

    def traced(self, answer: str, sources: Sequence[Passage], *, quoting: bool = True) -> str:
        """Return an answer whose marks are those of the places in `sources` that support it."""
        cited = cite(answer, sources, quoting=quoting)
        text = cited.text
        # By way of a sign that no answer has: [1] may become [2] while there is a [2].
        for mark in sorted(cited.marks, key=lambda mark: text.find(f"[{mark.number}]")):
            text = text.replace(f"[{mark.number}]", f"[\x00{self._number(mark)}]")
        return text.replace("\x00", "")

    def _number(self, mark: CitedMark) -> int:
        for known in self.marks:
            if replace(known, number=mark.number) == mark:
                return known.number
        self.marks.append(replace(mark, number=len(self.marks) + 1))
        return len(self.marks)
