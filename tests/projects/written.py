"""Makes documents as intake leaves them, with sections of the test's choice."""

from __future__ import annotations

from collections.abc import Sequence

from projects.intake.service import add_file
from projects.models import Citation, Document, Project, Turn
from projects.retrieval import lexical
from projects.retrieval.passages import content_key

PDF = "application/pdf"
PLAIN = "text/plain"


def write(
    project: Project,
    name: str,
    texts: Sequence[str | tuple[str, str]],
    *,
    first_page: int | None = None,
    content: bytes = b"",
    media_type: str = PLAIN,
) -> Document:
    """Return a document that is ready: `texts` are its sections, as text or (heading, text), one chunk each.

    `first_page` is where it begins, None for a format without pages; a form feed in a text turns a page, and each
    section begins on the page on which the one before ended.
    """
    added = add_file(project, name, [content or name.encode()])
    document = Document.objects.get(pk=added.document_id)
    page = first_page
    for ordinal, given in enumerate(texts):
        heading, text = given if isinstance(given, tuple) else ("", given)
        last = None if page is None else page + text.count("\f")
        section = document.sections.create(
            ordinal=ordinal, heading=[heading] if heading else [], page_start=page, page_end=last, text=text
        )
        chunk = document.chunks.create(
            section=section, ordinal=ordinal, page=page, start=0, text=text, content_key=content_key(text)
        )
        lexical.add([lexical.IndexEntry(chunk.pk, text, heading, "", name)])
        page = last
    document.state, document.media_type, document.pages = Document.State.READY, media_type, page
    document.save()
    return document


def cite(document: Document, quote: str, page: int | None = None) -> Citation:
    """Return a citation of the document by an answer in its project."""
    turn = Turn.objects.create(conversation=document.project.conversations.create(), question="Rent?", state="done")
    chunk = document.chunks.filter(text__contains=quote).first()
    return Citation.objects.create(turn=turn, number=1, document=document, chunk=chunk, page=page, quote=quote)
