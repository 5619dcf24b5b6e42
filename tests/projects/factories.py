"""Makes the rows that tests begin with."""

from __future__ import annotations

from django.contrib.auth.models import User

from projects.intake.pipeline import ingest
from projects.intake.service import add_file
from projects.models import Document, Project
from projects.retrieval.passages import Passage, content_key


def make_project(name: str = "Flat") -> Project:
    """Return a project of the user 'ada', who is made if need be."""
    owner, _ = User.objects.get_or_create(username="ada")
    return Project.objects.create(owner=owner, name=name)


def add_read(project: Project, name: str, content: str | bytes) -> Document:
    """Add a file and read it right away, as the worker would."""
    data = content.encode() if isinstance(content, str) else content
    added = add_file(project, name, [data])
    ingest(added.document_id)
    return Document.objects.get(pk=added.document_id)


def passage(text: str, *, document: str = "lease.pdf", page: int | None = 1, chunk_id: int = 1) -> Passage:
    """Return a passage that no database knows."""
    return Passage(chunk_id, 1, document, text[:40], 0, page, (), text, content_key(text), 1.0)
