"""The conversations of a project: finding one, and renaming, handing on and deleting it; one address each."""

from __future__ import annotations

from asgiref.sync import async_to_sync, sync_to_async
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_GET, require_http_methods
from django.views.decorators.vary import vary_on_headers

from projects import access
from projects.answering import runs
from projects.conversations import export, notices
from projects.conversations.removal import remove_conversation
from projects.forms import TitleForm
from projects.models import Conversation
from projects.presentation.conversations import LONGEST_QUERY, history_of
from projects.presentation.turns import for_display
from projects.views.fragments import wants_fragment

CHANGED = "conversations-changed"
"""The event that has the list on a page ask anew."""


@require_GET
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def conversations(request: HttpRequest, pk: int) -> HttpResponse:
    """All conversations, or those with the words `?q=`; the list alone for htmx, which names the open one."""
    project = access.project_for(request.user, pk)
    context = {
        "project": project,
        "history": history_of(project, request.GET.dict()),
        "current": request.GET.get("conversation", ""),
        "longest_query": LONGEST_QUERY,
    }
    template = "projects/_conversations.html" if wants_fragment(request) else "projects/conversations.html"
    return render(request, template, context)


@require_http_methods(["GET", "POST"])
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def conversation_rename(request: HttpRequest, pk: int) -> HttpResponse:
    """Give a conversation a title of the person's own, which no model changes any more."""
    conversation = access.conversation_for(request.user, pk)
    form = TitleForm(request.POST or None, initial={"title": conversation.title})
    if request.method == "POST" and form.is_valid():
        _rename(conversation, form.cleaned_data["title"])
        if wants_fragment(request):
            return HttpResponse(status=204, headers={"HX-Trigger": CHANGED})
        return redirect("projects:conversation", conversation.project_id, pk)
    template = "projects/_conversation_rename.html" if wants_fragment(request) else "projects/rename_conversation.html"
    context = {"conversation": conversation, "project": conversation.project, "form": form}
    # htmx shows no answer with a status of failure.
    refused = request.method == "POST" and not wants_fragment(request)
    return render(request, template, context, status=422 if refused else 200)


def _rename(conversation: Conversation, title: str) -> None:
    # Not by save(): `updated` is when something was last said.
    Conversation.objects.filter(pk=conversation.pk).update(title=title, titled_by=Conversation.TitledBy.PERSON)
    async_to_sync(notices.tell)(conversation.project_id, conversation.pk)


@require_http_methods(["GET", "POST"])
async def conversation_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether a conversation may go; on POST stop its answers and delete it."""
    conversation = await sync_to_async(access.conversation_for)(await request.auser(), pk)
    if request.method == "GET":
        return await sync_to_async(_ask_whether)(request, conversation)
    async for turn_id in conversation.all_turns.values_list("pk", flat=True):
        await runs.stop(turn_id)
    await sync_to_async(remove_conversation)(conversation)
    await notices.tell(conversation.project_id, pk)
    messages.success(request, f"“{conversation}” is deleted.")
    return redirect("projects:desk", conversation.project_id)


def _ask_whether(request: HttpRequest, conversation: Conversation) -> HttpResponse:
    context = {
        "conversation": conversation,
        "project": conversation.project,
        "questions": conversation.all_turns.count(),
    }
    return render(request, "projects/delete_conversation.html", context)


@require_GET
def conversation_markdown(request: HttpRequest, pk: int) -> HttpResponse:
    """A conversation as a page to save."""
    conversation = access.conversation_for(request.user, pk)
    text = export.as_markdown(conversation, list(for_display(conversation.turns)))
    return _file(text, "text/markdown; charset=utf-8", export.file_name(conversation, "md"))


@require_GET
def conversation_json(request: HttpRequest, pk: int) -> HttpResponse:
    """A conversation with all its figures, and what was set aside, as a file for programs."""
    conversation = access.conversation_for(request.user, pk)
    text = export.as_json(conversation, list(for_display(conversation.all_turns.all())))
    return _file(text, "application/json", export.file_name(conversation, "json"))


def _file(text: str, media_type: str, name: str) -> HttpResponse:
    response = HttpResponse(text.encode(), content_type=media_type)
    response["Content-Disposition"] = content_disposition_header(as_attachment=True, filename=name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response
