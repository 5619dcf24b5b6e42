"""The page of a document: its passport and its summary, how it was read, and what can be done with it."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from projects import access
from projects.intake.service import is_left_behind
from projects.models import Document
from projects.presentation import reading_report
from projects.presentation.activity import row_of
from projects.presentation.passport import ADDED, card_of
from projects.views.fragments import wants_fragment
from study.progress import document_progress
from study.service import summary_of


@require_GET
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def document(request: HttpRequest, pk: int) -> HttpResponse:
    """What is known about the document; as a fragment for the pane of the desk."""
    shown = access.document_for(request.user, pk)
    template = "projects/_about.html" if wants_fragment(request) else "projects/document.html"
    return render(request, template, _context(shown))


def _context(shown: Document) -> dict[str, Any]:
    reading = document_progress(shown.pk)
    return {
        "document": shown,
        "project": shown.project,
        "names": shown.names.exclude(name=shown.name).select_related("within"),
        "max_upload": settings.MAX_UPLOAD_BYTES,
        "can_retry": shown.is_final or is_left_behind(shown),
        "summary": summary_of(shown.pk),
        "reading": row_of(reading, shown.name) if reading and shown.is_answerable else None,
        "card": card_of(shown.pk) if shown.is_answerable else None,
        "kinds": ADDED,
        "report": reading_report.sentences(shown.pages, shown.report) if shown.is_answerable else [],
        "left_out": reading_report.left_out(shown.report),
    }
