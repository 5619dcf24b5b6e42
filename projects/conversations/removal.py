"""Deletes a conversation with all that belongs to it, and leaves none of its words in the database's files."""

from __future__ import annotations

from django.db import transaction

from projects.intake.erasure import empty_log
from projects.models import Conversation


def remove_conversation(conversation: Conversation) -> None:
    """Delete a conversation with its turns, those set aside too, and their citations; its documents stay."""
    with transaction.atomic():
        conversation.delete()
        transaction.on_commit(empty_log)
