"""What a person does with a document: cancel, read again, give the password, replace, delete; one address each."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from projects import access
from projects.intake.service import (
    MAX_PASSWORD,
    IntakeError,
    cancel_document,
    remove_document,
    replace_document,
    retry_document,
)
from projects.models import Document


@require_POST
def document_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop the reading of a document."""
    document = access.document_for(request.user, pk)
    if cancel_document(document):
        return _done(request, document, f"{document.name} is not read any further.")
    return _done(request, document, f"{document.name} had been read already.")


@require_POST
def document_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Read a document again from its stored bytes."""
    document = access.document_for(request.user, pk)
    if retry_document(document):
        return _done(request, document, f"{document.name} is being read again.")
    return _done(request, document, f"{document.name} is being read already.")


@require_POST
@sensitive_post_parameters("password")
def document_password(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a document's password and read it again with that."""
    document = access.document_for(request.user, pk)
    password = request.POST.get("password", "")
    if not 0 < len(password) <= MAX_PASSWORD:
        return _refused(request, document, f"A password has 1 to {MAX_PASSWORD} characters.")
    if retry_document(document, password):
        return _done(request, document, f"{document.name} is being read with this password.")
    return _done(request, document, f"{document.name} is being read already.")


@require_POST
def document_replace(request: HttpRequest, pk: int) -> HttpResponse:
    """Put the content that came in a document's place, and show the new one."""
    document = access.document_for(request.user, pk)
    file = request.FILES.get("file")
    if file is None:
        return _refused(request, document, "No file came with the form. Choose the new version first.")
    try:
        fresh = replace_document(document, file.chunks())
    except IntakeError as error:
        return _refused(request, document, error.message)
    messages.success(request, f"{document.name} has new content and is being read; the old one is gone.")
    return redirect("projects:document", fresh.document_id)


@require_http_methods(["GET", "POST"])
def document_delete(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask whether the document may go, and delete it on POST."""
    document = access.document_for(request.user, pk)
    if request.method == "GET":
        return render(request, "projects/delete_document.html", {"document": document, "project": document.project})
    remove_document(document)
    messages.success(request, f"{document.name} is deleted.")
    return redirect("projects:desk", document.project_id)


def _done(request: HttpRequest, document: Document, sentence: str) -> HttpResponse:
    """Have the list on the page show it, or go back to where the form was and say it."""
    if "HX-Request" in request.headers:
        return HttpResponse(status=204, headers={"HX-Trigger": "documents-changed"})
    messages.success(request, sentence)
    return _back(request, document)


def _refused(request: HttpRequest, document: Document, sentence: str) -> HttpResponse:
    messages.error(request, sentence)
    return _back(request, document)


def _back(request: HttpRequest, document: Document) -> HttpResponse:
    if request.POST.get("from") == "desk":
        return redirect(f"{reverse('projects:desk', args=[document.project_id])}#documents")
    return redirect("projects:document", document.pk)
