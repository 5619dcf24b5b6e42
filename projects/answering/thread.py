"""Which of a conversation's turns a question leans on."""

from __future__ import annotations

from projects.answering.wording import leans_back
from projects.models import Turn

TELLING = 2
"""Earlier turns that a question which leans on them is put with."""


def leaned_on(turn: Turn) -> tuple[Turn, ...]:
    """Return the answered turns that a question leans on, oldest first; none if it can be understood alone."""
    if not leans_back(turn.question):
        return ()
    done = turn.conversation.turns.filter(pk__lt=turn.pk, state=Turn.State.DONE).order_by("-pk")[:TELLING]
    return tuple(done)[::-1]
