"""The page of a document: what was read of it, and what can be done with it."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from projects import access
from projects.intake.service import is_left_behind
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
        "names": shown.names.exclude(name=shown.name).select_related("within"),
        "max_upload": settings.MAX_UPLOAD_BYTES,
        "citation": citation,
        "can_retry": shown.is_final or is_left_behind(shown),
        "sheets": sheets_of(shown, citation),
    }
    return render(request, "projects/document.html", context)
