"""What a person does about servers on the models page; one address for each action."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from inference.errors import BadRequest, InferenceError
from inference.external import choice
from inference.external.address import normalised, origin
from inference.external.choice import Server
from inference.external.trial import tried
from inference.supervise import status

LONGEST_KEY = 4_000
LONGEST_MODEL = 200
MOST_TOKENS = 10_000_000


@require_POST
def test(request: HttpRequest) -> HttpResponse:
    """Find out what a server gives and keep it for `use`; nothing changes for anybody."""

    def do() -> str:
        there = choice.chosen()
        server = there.server if there and there.by_settings else _server_of(request)
        report = tried(server)
        choice.keep_draft(server, report)
        if report.error:
            raise BadRequest(report.error)
        return f"{origin(server.url)} answers. What it gives is below."

    return _do(request, do, place="#server")


@require_POST
def use(request: HttpRequest) -> HttpResponse:
    """Have the tested server answer from now on."""

    def do() -> str:
        server = choice.use_draft(confirmed=request.POST.get("confirmed") == "1")
        return f"{origin(server.url)} answers from now on."

    return _do(request, do)


@require_POST
def confirm(request: HttpRequest) -> HttpResponse:
    """Agree to text leaving this machine for the server that the settings name."""

    def do() -> str:
        there = choice.chosen()
        if there is None or request.POST.get("confirmed") != "1":
            raise BadRequest("Nothing was changed: it was not confirmed that text may leave this machine.")
        choice.confirm(there.server)
        return f"Text may be sent to {origin(there.server.url)}."

    return _do(request, do)


@require_POST
def forget(request: HttpRequest) -> HttpResponse:
    """Have the local model answer again; address and key are deleted."""

    def do() -> str:
        choice.forget()
        gone = "Address and key of the server are deleted."
        if choice.chosen() is not None:
            return gone
        running = status.read(settings.RUN_DIR)
        starts = running is not None and running.model is None
        when = "from the next start: stop Readahead (Ctrl-C) and run it again" if starts else "again"
        return f"The model on this machine answers {when}. {gone}"

    return _do(request, do)


def _server_of(request: HttpRequest) -> Server:
    """Return the server of the form. Raises BadRequest naming what is wrong with it."""
    try:
        url = normalised(request.POST.get("address", ""))
    except ValueError as error:
        raise BadRequest(str(error)) from error
    key = request.POST.get("key", "").strip()
    if len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable():
        raise BadRequest("This is no key: it has characters that keys do not have.")
    text = request.POST.get("window", "").strip().replace(",", "")
    if text and not (text.isascii() and text.isdigit() and 0 < int(text) <= MOST_TOKENS):
        raise BadRequest("The window is a number of tokens, such as 32768.")
    model = request.POST.get("model", "").strip()
    if len(model) > LONGEST_MODEL:
        raise BadRequest("This is no name of a model: it is too long.")
    return Server(url, model, int(text or 0), key or choice.key_for(url))


def _do(request: HttpRequest, do: Callable[[], str], place: str = "") -> HttpResponse:
    """Do what a form asks for, say what came of it, and show the page again; `place` is what of it, when all went well.

    What went wrong is said at the top.
    """
    if not request.user.is_staff:  # what all others use
        raise PermissionDenied
    try:
        messages.success(request, do())
    except InferenceError as error:
        messages.error(request, error.message)
        place = ""
    return redirect(reverse("models:list") + place)
