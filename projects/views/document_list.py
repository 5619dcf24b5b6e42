"""The list of a project's documents as a fragment, asked for again and again while one of them is being read."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from projects import access
from projects.presentation.intake import listing_of
from projects.views.polling import STOP_POLLING


@require_GET
def documents(request: HttpRequest, pk: int) -> HttpResponse:
    """The list, or only how far reading is where `?seen=` names the list that is on the page.

    Replacing the list takes a button away from under a finger, so that is done only when a document's state changes.
    """
    project = access.project_for(request.user, pk)
    listing = listing_of(project)
    context = {"project": project, "listing": listing}
    if listing.moving and request.GET.get("seen") == listing.version:
        response = render(request, "projects/_documents_progress.html", context)
        response["HX-Reswap"] = "none"
        return response
    return render(request, "projects/_documents.html", context, status=200 if listing.moving else STOP_POLLING)
