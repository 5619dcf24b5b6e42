"""The models page: which there are, what fits, and what a person does with them; one address each."""

from __future__ import annotations

import os
from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods, require_POST
from django.views.decorators.vary import vary_on_headers

from inference import gateway
from inference.activation import activate, probes_dir
from inference.downloads import service
from inference.embeddings.page import meaning_page
from inference.engine.machine import this_machine
from inference.errors import InferenceError, UnknownModel
from inference.external.choice import answers_elsewhere
from inference.external.page import outside
from inference.fitting import AUTOMATIC, Fit, fit_of
from inference.installed import LocalModel, active_model, known_models, lookup
from inference.models import Download, Measurement, stored_choice
from inference.presentation import Page, Surroundings, page_of
from inference.supervise import status
from inference.supervise.policy import ChildState
from inference.supervise.status import SupervisorStatus
from inference.switching.waiting import model_report, require_spare
from inference.tuning.cards import with_tuning
from inference.tuning.store import all_overrides

STOP_POLLING = 286
"""htmx's status for 'take this and ask no more'."""


@require_GET
@vary_on_headers("HX-Request", "HX-History-Restore-Request")
def models(request: HttpRequest) -> HttpResponse:
    """All models and the files on their way; asked for again and again while something moves.

    Where `?seen=` names what is on the page, the bars alone: replacing all takes a button away from under a finger.
    """
    page = _page()
    context = {"page": page, "may_manage": _may_manage(request)}
    if "HX-Request" not in request.headers or "HX-History-Restore-Request" in request.headers:
        return render(request, "inference/models.html", {**context, "outside": outside(), "meaning": meaning_page()})
    if page.moving and request.GET.get("seen") == page.version:
        response = render(request, "inference/_ways.html", context)
        response["HX-Reswap"] = "none"
        return response
    return render(request, "inference/_models.html", context, status=200 if page.moving else STOP_POLLING)


@require_POST
def fetch(request: HttpRequest) -> HttpResponse:
    """Fetch a model of the catalogue."""
    model = request.POST.get("model", "")
    return _do(request, lambda: service.fetch(model), f"{model} is being fetched. It goes on when you leave this page.")


@require_POST
def import_address(request: HttpRequest) -> HttpResponse:
    """Fetch a GGUF file from an address."""
    address, sha256 = request.POST.get("address", ""), request.POST.get("sha256", "")
    return _do(request, lambda: service.import_address(address, sha256), "The file is being fetched.")


@require_POST
def import_file(request: HttpRequest) -> HttpResponse:
    """Take in a GGUF file that is on this machine."""
    path = request.POST.get("path", "")
    return _do(request, lambda: service.import_path(path), "The file is being checked and taken in.")


@require_POST
def use(request: HttpRequest) -> HttpResponse:
    """Choose the model; where Readahead runs as a whole, it changes to it at once, before one's eyes."""
    model = request.POST.get("model", "")
    changes = model_report(settings.RUN_DIR) is not None
    when = "Readahead changes to it now." if changes else "Readahead uses it from its next start."
    if answers_elsewhere():
        when = "The server in its place goes on answering until you give it up, further down on this page."
    return _do(request, lambda: activate(model, this_machine()), f"{model} is chosen. {when}")


@require_http_methods(["GET", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """Ask whether a model's file may go, and delete it on POST."""
    _require_manager(request)
    if request.method == "GET":
        try:
            model = lookup(request.GET.get("model", ""), settings.MODELS_DIR)
        except UnknownModel as error:
            return _refused(request, error)
        return render(request, "inference/delete.html", {"model": model})
    name = request.POST.get("model", "")
    return _do(request, lambda: _remove(name), f"{name} is deleted.")


@require_POST
def cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop a download; what has arrived is kept."""
    return _do(request, lambda: service.cancel(pk), "Cancelled. What has arrived is kept.", "It had ended already.")


@require_POST
def retry(request: HttpRequest, pk: int) -> HttpResponse:
    """Go on with a download that failed or was cancelled, or make its next attempt now."""
    return _do(request, lambda: service.retry(pk), "It goes on.", "It is on its way already.")


@require_POST
def drop(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a download that has ended off the list, with what has arrived of it."""
    return _do(
        request,
        lambda: service.drop(pk),
        "It is off the list, and what had arrived is deleted.",
        "It is not on the list any more.",
    )


def _remove(name: str) -> None:
    require_spare(name, settings.RUN_DIR)
    service.remove(name, gateway.health().model)


def _page() -> Page:
    machine, health, choice = this_machine(), gateway.health(), stored_choice()
    models_dir, named = settings.MODELS_DIR, bool(os.environ.get("READAHEAD_MODEL", "").strip())
    known = known_models(models_dir)
    active: LocalModel | None
    try:
        active = active_model(choice, models_dir)
    except UnknownModel:
        active = None  # what was chosen is gone: the next start says so, and here another one can be chosen
    if active and all(active.path.resolve() != model.path.resolve() for model in known):
        known.append(active)
    overrides = all_overrides()

    def fit(model: LocalModel) -> Fit:
        in_use = health.model == model.id or model == active
        return fit_of(model, machine, probes_dir(), active=in_use, overrides=overrides.get(model.id, AUTOMATIC))

    fits = [(model, fit(model)) for model in known]
    rows = Download.objects.exclude(state=Download.State.DONE)
    running = status.read(settings.RUN_DIR)
    elsewhere = answers_elsewhere()
    report, now = running.model if running and not elsewhere else None, timezone.now()
    around = Surroundings(machine, active, health, named, _fetcher_runs(running), now, report, elsewhere)
    measured = {row.model_id: row for row in Measurement.objects.all()}
    return with_tuning(page_of(fits, rows, around), overrides, measured, fetching=around.fetching)


def _fetcher_runs(running: SupervisorStatus | None) -> bool:
    child = running.children.get("fetcher") if running else None
    return child is not None and child.state is ChildState.RUNNING


def _may_manage(request: HttpRequest) -> bool:
    """Tell whether this person may change what all others use."""
    return request.user.is_staff


def _require_manager(request: HttpRequest) -> None:
    if not _may_manage(request):
        raise PermissionDenied


def _do(request: HttpRequest, do: Callable[[], object], said: str, nothing: str = "") -> HttpResponse:
    """Do what a form asks for and show the page again; `nothing` is said when there was nothing to do."""
    _require_manager(request)
    try:
        done = do()
    except InferenceError as error:
        return _refused(request, error)
    if done is False:
        messages.info(request, nothing)
    else:
        messages.success(request, said)
    return redirect("models:list")


def _refused(request: HttpRequest, error: InferenceError) -> HttpResponse:
    messages.error(request, error.message)
    return redirect("models:list")
