"""Tells when documents are ready that an answer had to do without."""

from __future__ import annotations

from dataclasses import dataclass

from projects.models import Document, Turn

_NUMBERS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine", "Ten", "Eleven", "Twelve")


@dataclass(frozen=True)
class AnswerOffer:
    """For one answer: how many documents became ready after it was given, and whether others still will."""

    turn: Turn
    ready: int = 0
    waits: bool = False

    @property
    def line(self) -> str:
        """What there is to be said, empty if there is nothing."""
        if not self.ready:
            return ""
        count = _NUMBERS[self.ready] if self.ready < len(_NUMBERS) else f"{self.ready:,}"
        return f"{count} more document is ready." if self.ready == 1 else f"{count} more documents are ready."


def offer_for(turn: Turn) -> AnswerOffer:
    """Look at the documents that were on their way when a question was answered.

    Nothing is offered where the question has been asked again since.
    """
    names = turn.coverage.get("waiting") or []
    if turn.state != Turn.State.DONE or not names or _asked_since(turn):
        return AnswerOffer(turn)
    here = Document.objects.filter(project=turn.conversation.project_id, name__in=names)
    states = list(here.values_list("state", flat=True))
    ready = sum(state in Document.ANSWERABLE for state in states)
    return AnswerOffer(turn, ready, waits=any(state in Document.UNFINISHED for state in states))


def _asked_since(turn: Turn) -> bool:
    return Turn.objects.filter(
        conversation=turn.conversation_id, pk__gt=turn.pk, question=turn.question, replaced_by=None
    ).exists()
