"""The admin's pages for projects, documents and conversations: to look around and to repair, not to write texts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.contrib.auth import admin as admin_of_users
from django.contrib.auth.models import User
from django.db.models import Count, QuerySet, TextField
from django.http import HttpRequest

from projects.conversations.removal import remove_conversation
from projects.intake.service import remove_document, remove_project, remove_user
from projects.models import (
    Chunk,
    Citation,
    Conversation,
    Document,
    DocumentName,
    Project,
    Section,
    Turn,
    Vector,
    VectorIndex,
)

if TYPE_CHECKING:
    UserAdmin = admin_of_users.UserAdmin[User]
    ModelAdmin = admin.ModelAdmin[Any]
    TabularInline = admin.TabularInline[Any, Any]
else:
    UserAdmin, ModelAdmin, TabularInline = admin_of_users.UserAdmin, admin.ModelAdmin, admin.TabularInline


class LookAt(ModelAdmin):
    """Base of all pages here: long texts are shown and not edited, related rows are looked up by id."""

    list_per_page = 50
    show_full_result_count = False

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        texts = [field.name for field in self.model._meta.fields if isinstance(field, TextField)]
        return [*self.readonly_fields, *texts]


class MadeByMachine(LookAt):
    """Base for rows that intake or answering makes: nobody adds one by hand, and no field is edited."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class RemovesFiles(ModelAdmin):
    """Mixed in for rows that own files or words: deleting goes the way of the pages, which leaves nothing behind."""

    remove: Callable[[Any], None]

    def delete_model(self, request: HttpRequest, obj: Any) -> None:
        type(self).remove(obj)

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> None:
        for row in queryset:
            type(self).remove(row)


class UploadedNotAdded(ModelAdmin):
    """Mixed in for rows that come with a file's bytes, which a form here does not take."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False


class NamesInline(TabularInline):
    model = DocumentName
    fk_name = "document"
    extra = 0
    raw_id_fields = ["within"]
    readonly_fields = ["created"]


class CitationsInline(TabularInline):
    model = Citation
    extra = 0
    can_delete = False
    show_change_link = True
    fields = ("number", "document", "page", "quote")
    readonly_fields = ("number", "document", "page", "quote")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


admin.site.unregister(User)


@admin.register(User)
class OwnerAdmin(RemovesFiles, UserAdmin):
    """Django's page for users; deleting one takes the files along."""

    remove = staticmethod(remove_user)


@admin.register(Project)
class ProjectAdmin(RemovesFiles, LookAt):
    remove = staticmethod(remove_project)
    list_display = ["name", "owner", "documents", "conversations", "created", "updated"]
    list_filter = ["owner"]
    list_select_related = ["owner"]
    raw_id_fields = ["owner"]
    readonly_fields = ["created", "updated"]
    search_fields = ["name", "owner__username"]
    date_hierarchy = "created"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return _counted(super().get_queryset(request), "documents", "conversations")

    @admin.display(ordering="documents_count")
    def documents(self, project: Any) -> int:
        return int(project.documents_count)

    @admin.display(ordering="conversations_count")
    def conversations(self, project: Any) -> int:
        return int(project.conversations_count)


@admin.register(Document)
class DocumentAdmin(RemovesFiles, UploadedNotAdded, LookAt):
    remove = staticmethod(remove_document)
    list_display = ["name", "project", "state", "media_type", "size", "pages", "tokens", "created"]
    list_filter = ["state", "media_type", "project"]
    list_select_related = ["project"]
    raw_id_fields = ["project"]
    exclude = ["password"]
    readonly_fields = [
        *("parent", "sha256", "media_type", "size", "state", "starts"),
        *("stage_done", "stage_total", "stage_from", "stage_began"),
        *("pages", "tokens", "warnings", "report", "text_key", "created", "updated"),
    ]
    search_fields = ["name", "names__name", "sha256", "project__name"]
    date_hierarchy = "created"
    inlines = [NamesInline]


@admin.register(DocumentName)
class DocumentNameAdmin(UploadedNotAdded, LookAt):
    list_display = ["name", "document", "within", "created"]
    list_select_related = ["document", "within"]
    raw_id_fields = ["document", "within"]
    readonly_fields = ["created"]
    search_fields = ["name", "document__name"]
    date_hierarchy = "created"


@admin.register(Section)
class SectionAdmin(MadeByMachine):
    list_display = ["__str__", "document", "ordinal", "page_start", "page_end"]
    list_select_related = ["document"]
    raw_id_fields = ["document"]
    search_fields = ["document__name", "heading", "text"]


@admin.register(Chunk)
class ChunkAdmin(MadeByMachine):
    list_display = ["__str__", "document", "ordinal", "page", "start"]
    list_select_related = ["document"]
    raw_id_fields = ["document", "section"]
    search_fields = ["document__name", "content_key", "text"]


@admin.register(VectorIndex)
class VectorIndexAdmin(MadeByMachine):
    list_display = ["model", "dim", "state", "vectors", "created"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return _counted(super().get_queryset(request), "vectors")

    @admin.display(ordering="vectors_count")
    def vectors(self, index: Any) -> int:
        return int(index.vectors_count)


@admin.register(Vector)
class VectorAdmin(MadeByMachine):
    list_display = ["__str__", "index", "chunk"]
    list_select_related = ["index", "chunk"]
    raw_id_fields = ["chunk"]
    search_fields = ["chunk__document__name"]


@admin.register(Conversation)
class ConversationAdmin(RemovesFiles, LookAt):
    remove = staticmethod(remove_conversation)
    list_display = ["__str__", "project", "turns", "created", "updated"]
    list_filter = ["project", "titled_by"]
    list_select_related = ["project"]
    raw_id_fields = ["project"]
    readonly_fields = ["created", "updated"]
    search_fields = ["title", "project__name"]
    date_hierarchy = "created"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return _counted(super().get_queryset(request), "all_turns")

    @admin.display(ordering="all_turns_count")
    def turns(self, conversation: Any) -> int:
        return int(conversation.all_turns_count)


@admin.register(Turn)
class TurnAdmin(MadeByMachine):
    list_display = [
        "__str__",
        "conversation",
        "state",
        "lane",
        "ttft_s",
        "total_s",
        "prompt_tokens",
        "read_tokens",
        "created",
    ]
    list_filter = ["state", "lane", "from_cache", "model"]
    list_select_related = ["conversation"]
    raw_id_fields = ["conversation", "replaced_by"]
    search_fields = ["question", "answer", "error"]
    date_hierarchy = "created"
    inlines = [CitationsInline]


@admin.register(Citation)
class CitationAdmin(MadeByMachine):
    list_display = ["__str__", "turn", "number", "document", "page"]
    list_select_related = ["document", "turn"]
    raw_id_fields = ["turn", "document", "chunk"]
    search_fields = ["quote", "document__name"]


def _counted(rows: QuerySet[Any], *relations: str) -> QuerySet[Any]:
    """Add `<relation>_count` to each row, in the one query of the list."""
    counts = {f"{name}_count": Count(name, distinct=True) for name in relations}
    return cast("QuerySet[Any]", rows.annotate(**counts))
