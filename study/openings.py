"""Which questions are answered before anybody asks: those that people open with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

ABOUT = "What are these documents about?"
EACH = "Summarise each document."
MOST_OF_TYPES = 3

BY_TYPE = {
    "invoice": "Who is to be paid how much, and by when?",
    "lease": "Which rents, deposits and notice periods are agreed?",
    "contract": "Who has agreed to what, and until when?",
    "report": "What happened in each case, and why?",
    "minutes": "What was decided, and who has to do what?",
    "letter": "Who wants what from whom?",
    "email": "Who wants what from whom?",
    "statement": "Which amounts came in and went out?",
    "policy": "What do the rules require?",
    "offer": "What is offered, and at what price?",
}


def opening_questions(types: Iterable[str]) -> list[str]:
    """Return the questions for a project with documents of these types, the most frequent types first."""
    counts: Counter[str] = Counter()
    for kind in types:
        if found := _question(kind):
            counts[found] += 1
    drawn = sorted(counts, key=lambda question: (-counts[question], question))
    return [ABOUT, EACH, *drawn[:MOST_OF_TYPES]]


def _question(kind: str) -> str:
    words = kind.casefold()
    return next((question for name, question in BY_TYPE.items() if name in words), "")
