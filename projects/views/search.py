"""Searching a project's documents without the model: passages with the words marked, each opening its source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET
from django.views.decorators.vary import vary_on_headers

from projects import access
from projects.models import Document, Project
from projects.presentation import hits
from projects.views.fragments import wants_fragment
from projects.views.source import MAX_QUESTION


@require_GET
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def search(request: HttpRequest, pk: int) -> HttpResponse:
    """The page with `?q=` looked for, in the documents `?in=` alone if there are any; its hits alone for htmx."""
    project = access.project_for(request.user, pk)
    question = " ".join(request.GET.get("q", "").split())[:MAX_QUESTION]
    documents = list(project.documents.only("pk", "name", "state"))
    chosen = {document.pk for document in documents if str(document.pk) in request.GET.getlist("in")}
    context = {
        "project": project,
        "question": question,
        "documents": [document for document in documents if document.is_answerable],
        "chosen": chosen,
        "max_question": MAX_QUESTION,
        **_found(project, question, chosen),
        **_missing(documents, chosen),
    }
    return render(request, "projects/_hits.html" if wants_fragment(request) else "projects/search.html", context)


def _found(project: Project, question: str, chosen: set[int]) -> dict[str, Any]:
    found = hits.search(project.pk, question, chosen or None) if question else hits.Hits()
    return {"found": found, "words": urlencode({"q": question}), "most": hits.LIMIT}


def _missing(documents: Sequence[Document], chosen: set[int]) -> dict[str, Any]:
    """Return the names of documents that the search could not look into."""
    asked = [document for document in documents if not chosen or document.pk in chosen]
    return {"missing": [document.name for document in asked if not document.is_answerable]}
