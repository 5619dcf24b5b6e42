"""Hands the study the texts of documents that can be answered from."""

from __future__ import annotations

from typing import Any

from django.db.models import QuerySet

from projects.models import Document
from study.texts import DocumentHead, DocumentText, SectionText


class StoredTexts:
    """The texts in the database. See `study.texts.Texts`."""

    def document(self, document_id: int) -> DocumentText | None:
        """Return a document with its sections; both belong to one reading even if another one ends meanwhile."""
        head = self.head(document_id)
        if head is None:
            return None
        rows = Document.objects.get(pk=document_id).sections.order_by("ordinal")
        sections = tuple(
            SectionText(row.ordinal, tuple(row.heading), row.page_start, row.page_end, row.text) for row in rows
        )
        return DocumentText(**vars(head), sections=sections) if self.head(document_id) == head else None

    def head(self, document_id: int) -> DocumentHead | None:
        """Return a document without its text."""
        return next((_head(row) for row in _readable().filter(pk=document_id).values(*COLUMNS)), None)

    def documents(self, project_id: int) -> list[DocumentHead]:
        """Return the documents of a project in the order in which they were added."""
        return [_head(row) for row in _readable().filter(project_id=project_id).order_by("pk").values(*COLUMNS)]


COLUMNS = ("pk", "project_id", "name", "text_key", "pages", "tokens")


def _readable() -> QuerySet[Document]:
    """Documents with a text, one that is being read anew included: it keeps the old text until the new one is whole."""
    return Document.objects.exclude(text_key="")


def _head(row: dict[str, Any]) -> DocumentHead:
    return DocumentHead(
        row["pk"], row["project_id"], row["name"], row["text_key"], pages=row["pages"], tokens=row["tokens"]
    )
