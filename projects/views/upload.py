"""Takes files into a project, from the plain form and from the page's own uploader."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from projects import access
from projects.intake.service import AddedFile, IntakeError, add_file


@require_POST
def upload(request: HttpRequest, pk: int) -> HttpResponse:
    """Store every file that came; one that is refused does not stop the others.

    Answers {added: [{name, document, duplicate}], refused: [message]} where JSON is asked for, else goes back to the
    desk with the same said in messages.
    """
    project = access.project_for(request.user, pk)
    added: list[AddedFile] = []
    refused: list[str] = []
    for file in request.FILES.getlist("files"):
        try:
            added.append(add_file(project, file.name or "", file.chunks()))
        except IntakeError as error:
            refused.append(error.message)
    if not added and not refused:
        refused.append("No file came with the form. Choose one or more files first.")
    if request.accepts("text/html"):
        _tell(request, added, refused)
        return redirect(f"{reverse('projects:desk', args=[pk])}#documents")
    taken = [{"name": file.name, "document": file.document_id, "duplicate": file.duplicate} for file in added]
    return JsonResponse({"added": taken, "refused": refused}, status=201 if added else 422)


def _tell(request: HttpRequest, added: list[AddedFile], refused: list[str]) -> None:
    fresh = sum(not file.duplicate for file in added)
    if fresh:
        messages.success(request, f"{fresh} file{'s' * (fresh > 1)} added; reading has begun.")
    for file in added:
        if file.duplicate:
            messages.info(request, f"{file.name} was here already: the same content is kept once, under both names.")
    for message in refused:
        messages.error(request, message)
