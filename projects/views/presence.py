"""Signs of what a person is doing, for the reading ahead to keep quiet meanwhile."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_POST

from projects import access
from study.presence import Presence, touch


@require_POST
def typing(request: HttpRequest, pk: int) -> HttpResponse:
    """Somebody writes a question in a project; nothing of it is sent along."""
    access.project_for(request.user, pk)
    touch(Presence.TYPING)
    return HttpResponse(status=204)
