"""The local owner: on an installation bound to loopback a local page opens as the one local user, elsewhere never.

No session is made for that. A call is the owner's because of where it comes from, each time anew, so calls without a
cookie leave nothing in the database, and what is not local any more is not the owner's any more.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, cast

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from projects.owner import local_owner
from ragsite.network import is_local_call, is_same_origin

FORBIDDEN_SOCKET: dict[str, Any] = {"type": "websocket.close"}

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]


def someone_can_sign_in() -> bool:
    """Tell whether there is an account with a password."""
    return any(user.has_usable_password() for user in User.objects.filter(is_active=True))


def is_owners_call(peer: str, headers: Mapping[str, str]) -> bool:
    """Tell whether a call is taken for the owner's without a sign-in."""
    return bool(settings.OPENS_AS_OWNER) and is_local_call(peer, headers)


class OwnerMiddleware:
    """Make the local owner the user of a local request, unless somebody has signed in."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        peer = request.META.get("REMOTE_ADDR") or ""
        if is_owners_call(peer, headers_of_request(request)) and not request.user.is_authenticated:
            request.user = cast("User", SimpleLazyObject(local_owner))
            request.auser = sync_to_async(local_owner)
        return self.get_response(request)


class OwnerSocket:
    """Make the local owner the user of a local websocket, unless somebody has signed in."""

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer = (scope.get("client") or ("",))[0]
        if is_owners_call(peer, headers_of(scope)) and not scope["user"].is_authenticated:
            scope = {**scope, "user": await sync_to_async(local_owner)()}
        await self.application(scope, receive, send)


class SameOriginSocket:
    """Refuse websockets that a page of another site opened, one on another port of this machine included.

    Stands inside the check of the origin against ALLOWED_HOSTS, which stops rebound names but knows no ports.
    """

    def __init__(self, application: Application) -> None:
        self.application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = headers_of(scope)
        if is_same_origin(headers.get("origin", ""), headers.get("host", ""), settings.CSRF_TRUSTED_ORIGINS):
            await self.application(scope, receive, send)
        else:
            await send(FORBIDDEN_SOCKET)


def headers_of_request(request: HttpRequest) -> dict[str, str]:
    """Return the headers of a request by lower-case name."""
    return {name.lower(): value for name, value in request.headers.items()}


def headers_of(scope: Scope) -> dict[str, str]:
    """Return the headers of an ASGI scope by lower-case name."""
    return {name.decode("latin1").lower(): value.decode("latin1") for name, value in scope["headers"]}
