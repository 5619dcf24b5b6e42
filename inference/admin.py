"""The admin's page for the chosen model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import admin

from inference.models import ModelChoice

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[ModelChoice]
else:
    ModelAdmin = admin.ModelAdmin


@admin.register(ModelChoice)
class ModelChoiceAdmin(ModelAdmin):
    """One row at most, written by `ModelChoice.choose`."""

    list_display = ["model_id", "path", "updated"]
    search_fields = ["model_id", "path"]
    readonly_fields = ["updated"]
    date_hierarchy = "updated"

    def has_add_permission(self, request: object) -> bool:
        return False
