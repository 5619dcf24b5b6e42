"""Which of a conversation's turns a question leans on."""

from __future__ import annotations

import unicodedata

from projects.answering.wording import leans_back
from projects.models import Turn

TELLING = 2
"""Earlier turns that a question which leans on them is put with."""
LOOKED_AT = 12
"""Turns among which these are looked for: the same question may have been asked some times."""


def leaned_on(turn: Turn) -> tuple[Turn, ...]:
    """Return the answered turns that a question leans on, oldest first; none if it can be understood alone.

    Where it was asked before, as for a proper reading, it leans on what it leaned on then and not on its own answer.
    """
    if not leans_back(turn.question):
        return ()
    done = turn.conversation.turns.filter(pk__lt=turn.pk, state=Turn.State.DONE)
    newest = done.order_by("-pk").defer("prompt")[:LOOKED_AT]
    asked = normalised(turn.question)
    others = [other for other in newest if normalised(other.question) != asked]
    return tuple(others[:TELLING])[::-1]


def normalised(question: str) -> str:
    """Return a question without what people type differently the second time: case, spaces, the mark at its end.

    Accents and signs within it stay, '2.5' and '25' are not the same.
    """
    words = " ".join(unicodedata.normalize("NFC", question).casefold().split())
    return words.rstrip("?!.。？！ ") or words
