"""What a person does about the model for search by meaning on the models page; one address for each action."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from inference import embeddings
from inference.embeddings import choice
from inference.embeddings.health import EmbeddingFailed
from inference.embeddings.indexing import provided
from inference.embeddings.page import meaning_page

STOP_POLLING = 286
"""htmx's status for 'take this and ask no more'."""
CHOSEN = "{model} is chosen. Searches use it once all documents are indexed by it."
AGAIN = "{model} is the chosen one again; what was indexed for the other goes."
OFF_CHOSEN = "Documents are searched by words alone from now on."


@require_GET
def state(request: HttpRequest) -> HttpResponse:
    """How the model and its vectors are, as a fragment; asked for again and again while something moves."""
    page = meaning_page()
    context = {"meaning": page, "may_manage": request.user.is_staff}
    status = 200 if page.moving else STOP_POLLING
    return render(request, "inference/_meaning_state.html", context, status=status)


@require_POST
def choose(request: HttpRequest) -> HttpResponse:
    """Take another model; what is indexed by the one before serves until everything is indexed by the new one."""
    return _follow(
        request, request.POST.get("model", ""), "{model} is chosen. Searches use it once all is indexed by it."
    )


@require_POST
def go_back(request: HttpRequest) -> HttpResponse:
    """Call a change off: the model that still serves is the chosen one again."""
    serving = provided().standing().serving
    if not serving:
        messages.info(request, "There is nothing to go back to any more.")
        return redirect("models:list")
    return _follow(request, serving, AGAIN)


def _follow(request: HttpRequest, model: str, said: str) -> HttpResponse:
    if not request.user.is_staff:  # what all others search by
        raise PermissionDenied
    try:
        chosen = choice.choose(model)
    except EmbeddingFailed as error:
        messages.error(request, error.message)
    else:
        provided().follow()
        embeddings.warm_up()  # so that what is wrong with it is seen here, and not in the next search
        messages.success(request, OFF_CHOSEN if chosen == choice.OFF else said.format(model=chosen))
    return redirect("models:list")
