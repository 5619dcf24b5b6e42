"""The local user: owns what is made on this machine without a sign-in, on the pages and by the commands."""

from __future__ import annotations

from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import User

OWNER_NAME = "owner"


def local_owner() -> User:
    """Return the local user, made at first use: staff and superuser, without a usable password."""
    # In one write: an account whose password is still to be made unusable has an empty one, which counts as usable.
    made = {"is_staff": True, "is_superuser": True, "password": make_password(None)}
    user, _ = User.objects.get_or_create(username=OWNER_NAME, defaults=made)
    return user
