"""The ways that a question can take, with what each would cost now, as the options of the menu beside its field."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from inference.gateway import health
from projects import access
from projects.answering.outlook import offers
from projects.presentation.ways import options_with


@require_GET
def ways(request: HttpRequest, pk: int) -> HttpResponse:
    """The options as a fragment; `?lane=` is the one that is chosen on the page."""
    project = access.project_for(request.user, pk)
    context = {"options": options_with(offers(project.pk, health())), "chosen": request.GET.get("lane", "")}
    return render(request, "projects/_ways.html", context)
