"""Takes what a person typed as a question: checks it, opens its turn and starts the answer."""

from __future__ import annotations

from channels.db import database_sync_to_async
from django.db import transaction
from django.http import Http404
from django.utils.text import Truncator

from projects import access
from projects.answering import runs, warming
from projects.answering.turns import NO_WISHES, Wishes, open_turn
from projects.blank import is_blank
from projects.conversations import notices, titles
from projects.models import Conversation, Project, Turn

MAX_QUESTION = 4_000
"""Characters; a longer text is a document, to be uploaded."""

TITLE_WORDS = 10


class QuestionRefused(Exception):
    """The question cannot be asked as it stands; `code` goes over the wire, `message` is for the person."""

    def __init__(self, code: str, message: str) -> None:
        self.code = code
        self.message = message
        super().__init__(message)


async def ask_and_start(
    user: access.Viewer,
    project: Project,
    question: str,
    conversation_id: int | None = None,
    wishes: Wishes = NO_WISHES,
) -> Turn:
    """Open the turn as `ask` does, and start its answer on the running event loop."""
    turn: Turn = await database_sync_to_async(ask)(user, project, question, conversation_id, wishes)
    await start(turn)
    return turn


async def start(turn: Turn) -> None:
    """Start the answer of a turn that was just stored, on the running event loop, and let other open pages know."""
    titles.give_way()
    warming.give_way()
    runs.start(turn.pk)
    titles.title_after(turn.pk)
    await notices.tell(turn.conversation.project_id, turn.conversation_id)


def ask(
    user: access.Viewer,
    project: Project,
    question: str,
    conversation_id: int | None,
    wishes: Wishes = NO_WISHES,
) -> Turn:
    """Store the question as a turn that waits for its answer.

    Raises QuestionRefused for a question that is empty or too long, Http404 for a conversation that is not this
    person's or not in this project. A refused question leaves no empty conversation behind.
    """
    question = checked(question)
    with transaction.atomic():
        return open_turn(_conversation(user, project, question, conversation_id), question, wishes)


def checked(question: str) -> str:
    """Return a question as it is stored; raises QuestionRefused for one that is empty or too long."""
    question = question.strip()
    if is_blank(question):
        raise QuestionRefused("question_empty", "Type a question first.")
    if len(question) > MAX_QUESTION:
        raise QuestionRefused(
            "question_too_long",
            f"The question has {len(question):,} characters; {MAX_QUESTION:,} is the most. "
            "Put long text into a file and add it to the documents.",
        )
    return question


def _conversation(user: access.Viewer, project: Project, question: str, conversation_id: int | None) -> Conversation:
    if conversation_id is None:
        return Conversation.objects.create(project=project, title=title_from(question))
    conversation = access.conversation_for(user, conversation_id)
    if conversation.project_id != project.pk:
        raise Http404("The conversation belongs to another project.")
    return conversation


def title_from(question: str) -> str:
    """Return a conversation's title: the first words of its first question, on one line."""
    return Truncator(" ".join(question.split())).words(TITLE_WORDS, truncate=" …")[:200]
