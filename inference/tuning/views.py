"""What a person sees and does about how a model runs, on the models page; one address for each action."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.html import format_html
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from inference.engine.machine import this_machine
from inference.errors import InferenceError
from inference.installed import LocalModel
from inference.models import Measurement
from inference.tuning import measuring, service
from inference.tuning.overrides import Overrides, parse
from inference.tuning.store import model_here, overrides_of


@require_GET
@vary_on_headers("HX-Request")
def show(request: HttpRequest) -> HttpResponse:
    """The panel of one model: a part of the models page, or a page of its own."""
    part = "HX-Request" in request.headers
    try:
        model = model_here(request.GET.get("model", ""))
        panel = service.panel_for(model)
    except InferenceError as error:
        return (
            HttpResponse(format_html('<p class="model-error">{}</p>', error.message))
            if part
            else _refused(request, error)
        )
    context = {
        "panel": panel,
        "row": Measurement.objects.filter(model_id=model.id).first(),
        "measured": _measured(model),
        "may_manage": request.user.is_staff,
    }
    return render(request, "inference/_settings.html" if part else "inference/settings.html", context)


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Set how a model runs; the one in use is started anew under it."""
    return _do(request, lambda model: service.apply(model, parse(request.POST.dict(), service.limits())))


@require_POST
def reset(request: HttpRequest) -> HttpResponse:
    """Make everything about a model automatic again."""
    return _do(request, lambda model: f"{service.apply(model, Overrides())} All is automatic again.")


@require_POST
def measure(request: HttpRequest) -> HttpResponse:
    """Measure a model on this machine, in the background."""

    def do(model: LocalModel) -> str:
        measuring.request(model.id)
        return f"{model.id} is being measured. It goes on when you leave this page."

    return _do(request, do)


@require_POST
def stop(request: HttpRequest) -> HttpResponse:
    """End a measurement; what was measured before is kept."""
    return _do(request, lambda model: "Stopped." if measuring.stop(model.id) else "It had ended already.")


def _measured(model: LocalModel) -> str:
    """Return when the figures that the panel shows were measured, by the clock of this machine; empty before that."""
    overrides = overrides_of(model.id)
    at = measuring.measured_at(model, overrides.threads or this_machine().cores, overrides.gpu_layers)
    if at is None:
        return ""
    then = datetime.fromtimestamp(at, UTC).astimezone()
    return f"{then.day} {then:%B %Y, %H:%M}"


def _do(request: HttpRequest, do: Callable[[LocalModel], str]) -> HttpResponse:
    """Do what a form asks for, say what came of it, and show the models page again."""
    if not request.user.is_staff:
        raise PermissionDenied
    try:
        messages.success(request, do(model_here(request.POST.get("model", ""))))
    except InferenceError as error:
        return _refused(request, error)
    return redirect("models:list")


def _refused(request: HttpRequest, error: InferenceError) -> HttpResponse:
    messages.error(request, error.message)
    return redirect("models:list")
