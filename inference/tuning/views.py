"""What a person sees and does about how a model runs, on the models page; one address for each action."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST
from django.views.decorators.vary import vary_on_headers

from inference.activation import probes_dir
from inference.engine.machine import this_machine, threads_at_most
from inference.engine.offload import supports_gpu
from inference.errors import InferenceError, ModelFailed
from inference.fitting import ground_of, measured_rows, trained_window
from inference.installed import LocalModel, active_model, lookup
from inference.models import Measurement, stored_choice
from inference.switching.waiting import model_report
from inference.tuning import measuring
from inference.tuning.outlook import outcome
from inference.tuning.overrides import Limits, Overrides, parse
from inference.tuning.panel import Known, Panel, panel_of, summary
from inference.tuning.store import overrides_of, put


@require_GET
@vary_on_headers("HX-Request")
def show(request: HttpRequest) -> HttpResponse:
    """The panel of one model: a part of the models page, or a page of its own."""
    try:
        model = _installed(request.GET.get("model", ""))
    except InferenceError as error:
        return _refused(request, error)
    row = Measurement.objects.filter(model_id=model.id).first()
    context = {"panel": _panel(model), "row": row, "measured": _measured(model), "may_manage": request.user.is_staff}
    part = "HX-Request" in request.headers
    return render(request, "inference/_settings.html" if part else "inference/settings.html", context)


@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Set how a model runs; the one in use is started anew under it."""

    def do(model: LocalModel) -> str:
        overrides = parse(request.POST.dict(), _limits())
        said, notes = _foreseen(model, overrides)
        when = _put(model, overrides)
        return " ".join([when, said, *notes])

    return _do(request, do)


@require_POST
def reset(request: HttpRequest) -> HttpResponse:
    """Make everything about a model automatic again."""
    return _do(request, lambda model: f"{_put(model, Overrides())} Everything about {model.id} is automatic again.")


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


def _installed(model_id: str) -> LocalModel:
    """Return a model that is here: in the models folder, or the chosen one elsewhere. Raises InferenceError."""
    active = active_model(stored_choice(), settings.MODELS_DIR)
    model = active if active.id == model_id else lookup(model_id, settings.MODELS_DIR)
    if model.state != "installed":
        raise ModelFailed(f"{model.id} is not installed. Fetch it first.")
    return model


def _panel(model: LocalModel) -> Panel:
    overrides, machine, limits = overrides_of(model.id), this_machine(), _limits()
    by_threads = {
        count: measured_rows(model, probes_dir(), count, overrides.gpu_layers) for count in range(1, limits.threads + 1)
    }
    ground = ground_of(model, machine, probes_dir(), overrides)
    return panel_of(Known(model.id, ground, overrides, limits, by_threads, trained_window(ground)))


def _measured(model: LocalModel) -> str:
    """Return when the figures that the panel shows were measured, by the clock of this machine; empty before that."""
    overrides = overrides_of(model.id)
    at = measuring.measured_at(model, overrides.threads or this_machine().cores, overrides.gpu_layers)
    return "" if at is None else f"{datetime.fromtimestamp(at, UTC).astimezone():%d %B %Y, %H:%M}"


def _limits() -> Limits:
    return Limits(threads_at_most(), supports_gpu())


def _foreseen(model: LocalModel, overrides: Overrides) -> tuple[str, tuple[str, ...]]:
    """Return what settings will come to. Raises ModelFailed when the model cannot run under them."""
    ground = ground_of(model, this_machine(), probes_dir(), overrides)
    outcome(ground, overrides)
    return summary(ground, overrides)


def _put(model: LocalModel, overrides: Overrides) -> str:
    """Store settings and return from when on they hold, as a sentence."""
    if not put(model.id, overrides):
        return "That is how it was set already."
    report = model_report(settings.RUN_DIR)
    if report is not None and model.id == active_model(stored_choice(), settings.MODELS_DIR).id:
        return f"Set: {model.id} is started anew now."
    return f"Set, from the next start of {model.id} on."


def _do(request: HttpRequest, do: Callable[[LocalModel], str]) -> HttpResponse:
    """Do what a form asks for, say what came of it, and show the models page again."""
    if not request.user.is_staff:
        raise PermissionDenied
    try:
        messages.success(request, do(_installed(request.POST.get("model", ""))))
    except InferenceError as error:
        return _refused(request, error)
    return redirect("models:list")


def _refused(request: HttpRequest, error: InferenceError) -> HttpResponse:
    messages.error(request, error.message)
    return redirect("models:list")
