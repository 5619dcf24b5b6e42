"""The admin's pages for the study's tasks and for what was learned: to look around, and to try again, cancel, drop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest

from study import service
from study.base_admin import WrittenByService
from study.models import (
    Digest,
    DocumentSummary,
    Forgetting,
    PreparedAnswer,
    ReadingPlan,
    SectionSummary,
    StudyPause,
    StudyTask,
)


class MadeByReader(WrittenByService):
    """Base for rows that the reader writes: looked at, and deleted only by the way that keeps the rest right."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Only along with the document or project that the rows are of, whose pages ask here too."""
        here = f"{self.opts.app_label}_{self.opts.model_name}_"
        page = request.resolver_match.url_name if request.resolver_match else ""
        return not (page or "").startswith(here) and bool(super().has_delete_permission(request, obj))


@admin.register(StudyTask)
class StudyTaskAdmin(MadeByReader):
    list_display = ["__str__", "project", "document", "state", "checkpoint", "steps", "attempts", "tokens", "seconds"]
    list_filter = ["state", "kind", "project", "model_key"]
    list_select_related = ["project", "document"]
    search_fields = ["document__name", "project__name", "error"]
    date_hierarchy = "updated"
    actions = ["try_again", "cancel", "read_first", "drop"]

    @admin.action(description="Try again what failed or was cancelled", permissions=["view"])
    def try_again(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._each(request, queryset, service.retry)

    @admin.action(description="Cancel", permissions=["view"])
    def cancel(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._each(request, queryset, service.cancel)

    @admin.action(description="Read first", permissions=["view"])
    def read_first(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._each(request, queryset.exclude(document=None), service.read_first, "document_id")

    @admin.action(description="Forget what was learned and read anew", permissions=["view"])
    def drop(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        self._each(request, queryset, service.drop)

    def _each(
        self, request: HttpRequest, queryset: QuerySet[Any], do: Callable[[int], bool], field: str = "pk"
    ) -> None:
        ids = list(queryset.values_list(field, flat=True))
        done = sum(do(pk) for pk in ids)
        messages.info(request, f"Done for {done} of {len(ids)}.")

    def get_actions(self, request: HttpRequest) -> Any:
        # Who may only look gets no actions: Django asks for the right named in `permissions`, and these change things.
        return super().get_actions(request) if request.user.has_perm("study.change_studytask") else {}


@admin.register(StudyPause)
class StudyPauseAdmin(MadeByReader):
    list_display = ["__str__", "created"]
    list_select_related = ["project"]
    search_fields = ["project__name"]
    date_hierarchy = "created"
    actions = ["go_on"]

    @admin.action(description="Go on reading", permissions=["view"])
    def go_on(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        if request.user.has_perm("study.delete_studypause"):
            for pause in queryset:
                service.resume(pause.project_id)


class Learned(MadeByReader):
    """Base for what was learned from a document."""

    list_filter = ["model_key", "prompt_version"]
    list_select_related = ["document"]
    date_hierarchy = "created"


@admin.register(DocumentSummary)
class DocumentSummaryAdmin(Learned):
    list_display = ["document", "language", "tokens", "dropped", "model_key", "prompt_version", "created"]
    search_fields = ["document__name", "text"]


@admin.register(SectionSummary)
class SectionSummaryAdmin(Learned):
    list_display = ["document", "step", "page_start", "page_end", "error", "model_key", "created"]
    search_fields = ["document__name", "text", "error"]


@admin.register(ReadingPlan)
class ReadingPlanAdmin(Learned):
    list_display = ["document", "window", "model_key", "prompt_version", "created"]
    search_fields = ["document__name"]


@admin.register(Digest)
class DigestAdmin(MadeByReader):
    list_display = ["project", "level", "tokens", "model_key", "prompt_version", "updated"]
    list_filter = ["level", "model_key"]
    list_select_related = ["project"]
    search_fields = ["project__name"]
    date_hierarchy = "updated"


@admin.register(PreparedAnswer)
class PreparedAnswerAdmin(MadeByReader):
    list_display = ["question", "project", "position", "model_key", "created"]
    list_filter = ["model_key", "project"]
    list_select_related = ["project"]
    search_fields = ["question", "answer", "project__name"]
    date_hierarchy = "created"


@admin.register(Forgetting)
class ForgettingAdmin(MadeByReader):
    list_display = ["name", "tried", "created"]
    search_fields = ["name"]
    date_hierarchy = "created"
