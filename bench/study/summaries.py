"""Looks for the figures of summaries in their documents, by a rule of its own.

The study drops sentences by `study.faithful`; asked by that rule alone, what is left could only be right. Here each run
of digits has to be one of the document's, whatever stands around it, and in addition nothing may be wrong by that rule.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from study.faithful import Values
from study.sentences import sentences, without_marks

_FIGURE = re.compile(r"(?=[\w/-]*\d)\w(?:\w|[.,:/'’-](?=\w))*")
_GROUPED = re.compile(r"(?<=\d)[.,'’ \u00a0\u202f](?=\d{3}(?!\d))")
SPELLED = 12
"""Numbers up to this are written as words too, and months as names: left to the study's rule, which knows both."""


@dataclass(frozen=True)
class Found:
    """How many figures a summary has (numbers, dates, identifiers as written), and those that its document lacks."""

    figures: int
    missing: tuple[str, ...]


def look_up(summary: str, text: str) -> Found:
    """Look for each figure of a summary in the text of its document."""
    told = without_marks(summary)
    figures, there, values = _FIGURE.findall(told), _runs(text), Values.of(text)
    wrong = [figure for figure in figures if any(run > SPELLED for run in _runs(figure, together=True) - there)]
    by_rule = [value for sentence in sentences(told) for value in values.lacks(sentence)]
    others = [value for value in by_rule if not any(value in figure for figure in wrong)]
    return Found(len(figures), tuple(dict.fromkeys([*wrong, *others])))


def _runs(text: str, *, together: bool = False) -> set[int]:
    """Return the runs of digits of a text with thousands put together, and else as they stand too."""
    forms = [_GROUPED.sub("", text)] if together else [_GROUPED.sub("", text), text]
    return {int(run) for form in forms for run in re.findall(r"\d+", form)}
