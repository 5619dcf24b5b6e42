"""The one line about the model: loading, ready, or why not."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from inference.contracts import EngineState
from inference.gateway import health
from projects.views.polling import STOP_POLLING


@require_GET
def engine(request: HttpRequest) -> HttpResponse:
    """The line as a fragment; asked for again and again until the model is ready."""
    current = health()
    ready = current.state == EngineState.READY
    context = {"health": current, "ready": ready}
    return render(request, "projects/_engine.html", context, status=STOP_POLLING if ready else 200)
