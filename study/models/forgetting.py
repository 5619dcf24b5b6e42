"""States of the model that must go from the disk because their text is gone."""

from __future__ import annotations

from django.db import models


class Forgetting(models.Model):
    """A boundary whose states are to be deleted.

    Written in the transaction that removes the text, so that no crash loses it; deleted by the reader once it has seen
    the states gone at a moment when nothing is being read that could save one again. `tried`: they have been deleted
    once, right after that transaction.
    """

    name = models.CharField(max_length=100, unique=True)
    tried = models.BooleanField(default=False)
    created = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name
