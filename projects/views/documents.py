"""The page of a document: what was read of it, its original, and trying again or deleting it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from projects import access
from projects.intake.service import is_left_behind, remove_document, retry_document
from projects.presentation.reading import sheets_of


@require_GET
def document(request: HttpRequest, pk: int) -> HttpResponse:
    """The document's state and its text page by page; `?citation=` marks the words that an answer quoted."""
    shown = access.document_for(request.user, pk)
    number = request.GET.get("citation", "")
    citation = shown.citations.select_related("chunk", "turn").filter(pk=number).first() if number.isdecimal() else None
    context = {
        "document": shown,
        "project": shown.project,
        "names": shown.names.exclude(name=shown.name),
        "citation": citation,
        "can_retry": shown.is_final or is_left_behind(shown),
        "sheets": sheets_of(shown, citation),
    }
    return render(request, "projects/document.html", context)


@require_POST
def document_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Read a document again from its stored bytes."""
    shown = access.document_for(request.user, pk)
    if retry_document(shown):
        messages.success(request, f"{shown.name} is being read again.")
    else:
        messages.info(request, f"{shown.name} is being read already.")
    return redirect("projects:document", pk)


@require_http_methods(["GET", "POST"])
def document_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether the document may go, and delete it on POST."""
    shown = access.document_for(request.user, pk)
    if request.method == "GET":
        return render(request, "projects/delete_document.html", {"document": shown, "project": shown.project})
    remove_document(shown)
    messages.success(request, f"{shown.name} is deleted.")
    return redirect("projects:desk", shown.project_id)
