"""The admin's pages for what was learned about documents: to look around, not to write."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from study.base_admin import TabularInline, WrittenByService
from study.models import Passport, PassportField
from study.task_admin import StudyTaskAdmin

__all__ = ["PassportAdmin", "PassportFieldAdmin", "StudyTaskAdmin"]


class FieldsInline(TabularInline):
    model = PassportField
    extra = 0
    can_delete = False
    fields = ("kind", "label", "value", "normalised", "page", "source", "replaces")
    readonly_fields = fields

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Passport)
class PassportAdmin(WrittenByService):
    list_display = ["document", "type", "language", "pages", "made_with", "updated"]
    list_filter = ["type", "language", "made_with"]
    list_select_related = ["document"]
    raw_id_fields = ["document"]
    search_fields = ["document__name", "fields__value"]
    date_hierarchy = "updated"
    inlines = [FieldsInline]
    actions = ["forget_corrections"]

    @admin.action(description="Go back to what was found")
    def forget_corrections(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        from study.passports import service  # with its lexicon, which few processes need

        for passport in queryset:
            service.reset(passport.document_id)


@admin.register(PassportField)
class PassportFieldAdmin(WrittenByService):
    list_display = ["value", "label", "kind", "passport", "page", "source"]
    list_filter = ["kind", "source"]
    list_select_related = ["passport"]
    raw_id_fields = ["passport"]
    search_fields = ["value", "label", "normalised", "passport__document__name"]

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
