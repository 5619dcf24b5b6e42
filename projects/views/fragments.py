"""Whether a page is asked for as a whole or as the fragment that htmx puts into one."""

from __future__ import annotations

from django.http import HttpRequest


def wants_fragment(request: HttpRequest) -> bool:
    """Tell whether htmx asks for a part of a page. When it goes back in its history it asks for the whole."""
    return "HX-Request" in request.headers and "HX-History-Restore-Request" not in request.headers
