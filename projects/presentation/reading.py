"""Loads what was read of a document, laid out as pages."""

from __future__ import annotations

from projects.models import Citation, Document
from projects.presentation.sheets import Quote, SectionText, Sheet, lay_out


def sheets_of(document: Document, citation: Citation | None = None) -> list[Sheet]:
    """Return the document's pages with the quoted words of `citation` marked; one query."""
    sections = list(document.sections.order_by("ordinal"))
    texts = [
        SectionText(section.heading[-1] if section.heading else "", section.text, section.page_start)
        for section in sections
    ]
    return lay_out(texts, _quote(citation, [section.pk for section in sections]) if citation else None)


def _quote(citation: Citation, section_ids: list[int]) -> Quote:
    chunk = citation.chunk
    if chunk is None or chunk.section_id not in section_ids:
        return Quote(citation.quote)
    return Quote(citation.quote, section_ids.index(chunk.section_id), chunk.start)
