"""The one line about the model: loading, ready, or why not."""

from __future__ import annotations

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from inference.contracts import EngineState
from inference.gateway import health
from inference.switching.waiting import model_report
from projects.views.polling import STOP_POLLING


@require_GET
def engine(request: HttpRequest) -> HttpResponse:
    """The line as a fragment; asked for again and again until the model is ready, or asleep until somebody asks."""
    current, report = health(), model_report(settings.RUN_DIR)
    rests = current.state == EngineState.READY or (report is not None and report.sleeps)
    context = {"health": current, "rests": rests}
    return render(request, "projects/_engine.html", context, status=STOP_POLLING if rests else 200)
