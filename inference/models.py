"""The one row the inference side keeps: which model a person chose."""

from __future__ import annotations

from typing import Self

from django.db import models

from inference.installed import Choice


class ModelChoice(models.Model):
    """The chosen model (one row). An empty table means the default of the catalogue."""

    model_id = models.CharField(max_length=200, help_text="Catalogue id, or the name of an imported file.")
    path = models.CharField(max_length=1000, blank=True, help_text="Of an imported file; empty for catalogue models.")
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name = "model choice"

    def __str__(self) -> str:
        return self.model_id

    @classmethod
    def current(cls) -> Self | None:
        """Return the stored choice, or None when nobody has chosen yet."""
        return cls.objects.filter(pk=1).first()

    @classmethod
    def choose(cls, model_id: str, path: str = "") -> Self:
        """Store the choice; the supervisor acts on it."""
        choice, _ = cls.objects.update_or_create(pk=1, defaults={"model_id": model_id, "path": path})
        return choice


def stored_choice() -> Choice | None:
    """Return what a person chose as a plain value, or None when nobody has chosen yet."""
    choice = ModelChoice.current()
    return Choice(choice.model_id, choice.path) if choice else None
