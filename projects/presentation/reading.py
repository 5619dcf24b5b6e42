"""Loads what was read of a document, laid out as pages."""

from __future__ import annotations

from collections import defaultdict

from projects.models import Citation, Document
from projects.presentation.sheets import Quote, SectionText, Sheet, lay_out


def sheets_of(document: Document, citation: Citation | None = None) -> list[Sheet]:
    """Return the document's pages with the quoted words of `citation` marked; two queries."""
    breaks: dict[int, list[tuple[int, int]]] = defaultdict(list)
    chunks = document.chunks.exclude(page=None).order_by("ordinal").values_list("section_id", "start", "page")
    for section_id, start, page in chunks:
        if page is not None:
            breaks[section_id].append((start, page))
    sections = list(document.sections.order_by("ordinal"))
    texts = [
        SectionText(
            heading=section.heading[-1] if section.heading else "",
            text=section.text,
            page=section.page_start,
            breaks=tuple(breaks[section.pk]),
        )
        for section in sections
    ]
    quote = _quote(citation, [section.pk for section in sections]) if citation else None
    return lay_out(texts, quote)


def _quote(citation: Citation, section_ids: list[int]) -> Quote:
    chunk = citation.chunk
    if chunk is None or chunk.section_id not in section_ids:
        return Quote(citation.quote)
    return Quote(citation.quote, section_ids.index(chunk.section_id), chunk.start)
