"""The reading ahead: how far it is, and what a person does with it; one address each."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from projects import access
from projects.presentation.activity import activity_of
from projects.views.fragments import wants_fragment
from projects.views.polling import STOP_POLLING
from study import service


@require_GET
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def activity(request: HttpRequest) -> HttpResponse:
    """How the reading of this person's projects stands; asked for again and again while there is something to read.

    Where `?seen=` names what is on the page, the bars alone: replacing all takes a button away from under a finger.
    """
    stands = activity_of(access.projects_of(request.user))
    context = {"activity": stands, "may_pause_all": _may_pause_all(request)}
    if not wants_fragment(request):
        return render(request, "projects/activity.html", context)
    if stands.moving and request.GET.get("seen") == stands.version:
        response = render(request, "projects/_activity_progress.html", context)
        response["HX-Reswap"] = "none"
        return response
    return render(request, "projects/_activity.html", context, status=200 if stands.moving else STOP_POLLING)


@require_POST
def pause_all(request: HttpRequest) -> HttpResponse:
    """Read nothing more, of anybody's."""
    if not _may_pause_all(request):
        raise PermissionDenied
    service.pause()
    return _done(request, "Reading ahead is paused.")


@require_POST
def resume_all(request: HttpRequest) -> HttpResponse:
    """Go on reading."""
    if not _may_pause_all(request):
        raise PermissionDenied
    service.resume()
    return _done(request, "Reading ahead goes on.")


@require_POST
def project_pause(request: HttpRequest, pk: int) -> HttpResponse:
    """Read nothing more in a project."""
    project = access.project_for(request.user, pk)
    service.pause(project.pk)
    return _done(request, f"{project.name} is not read any further for now.")


@require_POST
def project_resume(request: HttpRequest, pk: int) -> HttpResponse:
    """Go on reading in a project."""
    project = access.project_for(request.user, pk)
    service.resume(project.pk)
    return _done(request, f"{project.name} is read again.")


@require_POST
def task_first(request: HttpRequest, pk: int) -> HttpResponse:
    """Read a document before all others."""
    task = access.study_task_for(request.user, pk)
    if task.document_id is not None and service.read_first(task.document_id):
        return _done(request, "It is read next.")
    return _done(request, "It is not in line any more.")


@require_POST
def task_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Read no further in a document."""
    if service.cancel(access.study_task_for(request.user, pk).pk):
        return _done(request, "It is not read any further.")
    return _done(request, "It had been read already.")


@require_POST
def task_retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Try again what failed or was cancelled."""
    if service.retry(access.study_task_for(request.user, pk).pk):
        return _done(request, "It is in line again.")
    return _done(request, "It is in line already.")


def _may_pause_all(request: HttpRequest) -> bool:
    """Tell whether this person may hold up the reading of others."""
    return request.user.is_staff


def _done(request: HttpRequest, sentence: str) -> HttpResponse:
    """Have the page show it, or go back to the page and say it."""
    if "HX-Request" in request.headers:
        return HttpResponse(status=204, headers={"HX-Trigger": "reading-changed"})
    messages.success(request, sentence)
    return redirect(reverse("projects:activity"))
