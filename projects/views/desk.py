"""The desk of a project: its documents, its conversations, and the one that is open."""

from __future__ import annotations

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from projects import access
from projects.asking import MAX_QUESTION
from projects.models import Conversation, Project
from projects.presentation.conversations import LONGEST_QUERY, history_of
from projects.presentation.intake import listing_of
from projects.presentation.turns import for_display
from projects.retrieval.meaning import warm_up


@require_GET
def desk(request: HttpRequest, pk: int) -> HttpResponse:
    """The desk with a new conversation."""
    return _desk(request, access.project_for(request.user, pk), None)


@require_GET
def conversation(request: HttpRequest, pk: int, conversation_id: int) -> HttpResponse:
    """The desk with one of its conversations open."""
    opened = access.conversation_for(request.user, conversation_id)
    if opened.project_id != pk:
        raise Http404("The conversation belongs to another project.")
    return _desk(request, opened.project, opened)


def _desk(request: HttpRequest, project: Project, opened: Conversation | None) -> HttpResponse:
    warm_up()  # whoever looks at a desk is about to ask
    turns = list(for_display(opened.turns.all())) if opened else []
    context = {
        "project": project,
        "conversation": opened,
        "turns": turns,
        "answering": any(turn.is_open for turn in turns),
        "max_upload": settings.MAX_UPLOAD_BYTES,
        "max_question": MAX_QUESTION,
        "listing": listing_of(project),
        "history": history_of(project, {}),
        "current": str(opened.pk) if opened else "",
        "longest_query": LONGEST_QUERY,
    }
    return render(request, "projects/desk.html", context)
