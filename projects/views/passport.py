"""Correcting a document's passport: one address and one form for each action, with htmx and without."""

from __future__ import annotations

from collections.abc import Callable

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST

from projects import access
from projects.presentation.passport import ADDED, card_of
from study.passports import service
from study.passports.service import BadValue, NoSuchField
from study.passports.values import SINGLE, Kind
from study.service import passport_changed

GONE = "That field is gone: the document was read again. Here is the passport as it is now."


@require_POST
def passport_add(request: HttpRequest, pk: int) -> HttpResponse:
    """Add a field that was not found."""
    kind = request.POST.get("kind", "")
    if kind not in dict(ADDED):
        raise Http404("There is no such kind of field.")
    page = request.POST.get("page", "")
    number = int(page) if page.isdecimal() and len(page) < 10 else None
    label, value = request.POST.get("label", ""), request.POST.get("value", "")
    return _change(request, pk, lambda document: service.add_field(document, Kind(kind), label, value, number))


@require_POST
def passport_correct(request: HttpRequest, pk: int, field: str) -> HttpResponse:
    """Give a field another value."""
    named, value = _named(field), request.POST.get("value", "")
    return _change(request, pk, lambda document: service.correct(document, named, value))


@require_POST
def passport_remove(request: HttpRequest, pk: int, field: str) -> HttpResponse:
    """Take a field away."""
    named = _named(field)
    if isinstance(named, Kind):
        raise Http404("A document always has a type and a language.")
    return _change(request, pk, lambda document: service.remove_field(document, named))


@require_POST
def passport_reset(request: HttpRequest, pk: int, field: str) -> HttpResponse:
    """Go back to what was found, for a corrected or a removed field."""
    named = _named(field)
    return _change(request, pk, lambda document: service.reset(document, named))


def _named(field: str) -> int | Kind:
    if field in SINGLE:
        return Kind(field)
    if not field.isdecimal() or len(field) > 18:
        raise Http404("There is no such field.")
    return int(field)


def _change(request: HttpRequest, pk: int, change: Callable[[int], object]) -> HttpResponse:
    """Make a change and show the passport: alone for htmx, else on the document's page."""
    document = access.document_for(request.user, pk)
    problem = ""
    try:
        change(document.pk)
        passport_changed(document.project_id)
    except BadValue as error:
        problem = error.message
    except NoSuchField:
        problem = GONE
    if request.headers.get("HX-Request"):
        # With 200, since htmx shows no other reply.
        context = {"document": document, "card": card_of(document.pk), "kinds": ADDED, "problem": problem}
        return render(request, "projects/_passport.html", context)
    if problem:
        messages.error(request, problem)
    return redirect(f"{reverse('projects:document', args=[document.pk])}#passport")
