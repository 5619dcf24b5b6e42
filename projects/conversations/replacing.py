"""Asks a question again in place of one that was asked before, which is kept aside with what followed it."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Q

from projects.answering.turns import NO_WISHES, Wishes, open_turn
from projects.asking import QuestionRefused, checked, title_from
from projects.models import Conversation, Turn

TAKEN = "This question was asked anew meanwhile; here is what stands in its place."


def ask_instead(turn: Turn, question: str, wishes: Wishes = NO_WISHES) -> Turn:
    """Store the question as a turn that waits for its answer and takes the place of `turn` and all after it.

    Raises QuestionRefused for a question that cannot be asked, and where another has taken this one's place already.
    """
    question = checked(question)
    with transaction.atomic():
        conversation = Conversation.objects.select_for_update().select_related("project").get(pk=turn.conversation_id)
        thread = list(conversation.turns.values_list("pk", flat=True))
        if turn.pk not in thread:
            raise QuestionRefused("replaced", TAKEN)
        if turn.pk == thread[0]:
            _retitle(conversation, question)
        fresh = open_turn(conversation, question, wishes)
        gone = [pk for pk in thread if pk >= turn.pk]
        # Those that were set aside for one of these go along, so that whatever replaces is always in the thread.
        conversation.all_turns.filter(Q(pk__in=gone) | Q(replaced_by__in=gone)).update(replaced_by=fresh)
    return fresh


def _retitle(conversation: Conversation, question: str) -> None:
    """Take the first words of another first question as the title, unless a person has given one."""
    others = Conversation.objects.filter(pk=conversation.pk).exclude(titled_by=Conversation.TitledBy.PERSON)
    others.update(title=title_from(question), titled_by=Conversation.TitledBy.QUESTION)
    conversation.refresh_from_db(fields=["title", "titled_by"])
