"""The admin's pages for the chosen model, and for the files on their way here."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.contrib import admin, messages
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest

from inference.downloads import service
from inference.models import Download, Measurement, ModelChoice, ModelSettings
from inference.switching.bells import ring_choice

if TYPE_CHECKING:
    ModelAdmin = admin.ModelAdmin[Any]
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

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        transaction.on_commit(lambda: ring_choice(settings.RUN_DIR))


@admin.register(Download)
class DownloadAdmin(ModelAdmin):
    """Rows that the fetcher writes: to look at, and to cancel, try again and drop by the ways that the page has."""

    list_display = ["file", "kind", "state", "bytes_done", "bytes_total", "source", "note", "updated"]
    list_filter = ["state", "kind"]
    search_fields = ["file", "origin", "error"]
    date_hierarchy = "created"
    list_per_page = 50
    show_full_result_count = False
    actions = ["try_again", "cancel", "drop"]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.action(description="Try again what failed or was cancelled", permissions=["view"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._each(request, queryset, service.retry)

    @admin.action(description="Cancel", permissions=["view"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._each(request, queryset, service.cancel)

    @admin.action(description="Drop what has ended, with what has arrived", permissions=["view"])
    def drop(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._each(request, queryset, service.drop)

    def _each(self, request: HttpRequest, queryset: QuerySet[Any], do: Callable[[int], bool]) -> None:
        ids = list(queryset.values_list("pk", flat=True))
        done = sum(do(pk) for pk in ids)
        messages.info(request, f"Done for {done} of {len(ids)}.")

    def get_actions(self, request: HttpRequest) -> Any:
        # Who may only look gets no actions: Django asks for the right named in `permissions`, and these change things.
        return super().get_actions(request) if request.user.has_perm("inference.change_download") else {}


class LookedAt(ModelAdmin):
    """Rows to look at: what is changed by hand is not checked, and no process hears of it."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(ModelSettings)
class ModelSettingsAdmin(LookedAt):
    """What is set for each model on the models page."""

    list_display = ["model_id", "window", "kv", "flash_attention", "threads", "conversations", "updated"]
    search_fields = ["model_id"]
    date_hierarchy = "updated"


@admin.register(Measurement)
class MeasurementAdmin(LookedAt):
    """How measurements go; what they found is in the folder of the models."""

    list_display = ["model_id", "state", "done", "total", "note", "updated"]
    list_filter = ["state"]
    search_fields = ["model_id", "error"]
    date_hierarchy = "created"
