"""The local owner: on a loopback-only installation the page opens as the one local user, elsewhere never."""

from __future__ import annotations

from collections.abc import Callable

from django.conf import settings
from django.contrib.auth import get_user_model, login
from django.contrib.auth.models import AbstractUser
from django.http import HttpRequest, HttpResponse

from ragsite.network import is_loopback

OWNER_NAME = "owner"


def local_owner() -> AbstractUser:
    """Return the local user, made at first start: staff and superuser, without a usable password."""
    user, created = get_user_model().objects.get_or_create(
        username=OWNER_NAME, defaults={"is_staff": True, "is_superuser": True}
    )
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user


class OwnerMiddleware:
    """Sign the local owner in when the server is bound to loopback and the call comes from there."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        caller = request.META.get("REMOTE_ADDR") or ""
        if settings.LOOPBACK and not request.user.is_authenticated and is_loopback(caller):
            login(request, local_owner(), backend="django.contrib.auth.backends.ModelBackend")
        return self.get_response(request)
