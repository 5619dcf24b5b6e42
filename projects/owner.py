"""The local user: owns what is made on this machine without a sign-in, on the pages and by the commands."""

from __future__ import annotations

from django.contrib.auth.models import User

OWNER_NAME = "owner"


def local_owner() -> User:
    """Return the local user, made at first use: staff and superuser, without a usable password."""
    user, created = User.objects.get_or_create(username=OWNER_NAME, defaults={"is_staff": True, "is_superuser": True})
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    return user
