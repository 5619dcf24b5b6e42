"""Leaves no state of the model on the disk whose text has been removed."""

from __future__ import annotations

import logging
from collections.abc import Iterable

from django.conf import settings
from django.db import transaction

from inference import gateway
from inference.engine.shelf import delete_named
from inference.errors import InferenceError
from study.models import Forgetting

logger = logging.getLogger(__name__)


def forget_states(names: Iterable[str]) -> None:
    """Delete the states kept under these boundaries once the running transaction is over.

    Noted in that transaction too, for the reader to do again: a step under way may save such a state once more.
    """
    rows = [Forgetting(name=name) for name in names]
    Forgetting.objects.bulk_create(rows, update_conflicts=True, update_fields=["tried"], unique_fields=["name"])
    transaction.on_commit(_try)


def _try() -> None:
    for row in Forgetting.objects.filter(tried=False):
        _forget(row.name)
        Forgetting.objects.filter(pk=row.pk).update(tried=True)


def forget_noted() -> None:
    """Do what is noted, and strike it off; for the reader, between two steps."""
    for row in Forgetting.objects.all():
        if _forget(row.name):
            row.delete()


def _forget(name: str) -> bool:
    """Delete the states of a boundary; True if no service can have one in hand that it would still write."""
    try:
        gateway.forget(name)
    except InferenceError as error:
        # No service, or one that is only starting: the files are there all the same.
        delete_named(settings.SNAPSHOTS_DIR, name)
        logger.info("states were deleted without the service: %s", error.code)
        return False
    return True
