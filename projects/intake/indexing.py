"""Writes what was read of a document into its rows: sections, chunks and the word index."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from itertools import islice

from projects.intake.chunking import ChunkText
from projects.intake.sections import SectionText
from projects.models import Chunk, Document, Section
from projects.retrieval import lexical
from projects.retrieval.passages import content_key

OPENING = 300
"""Characters of a document's beginning that every chunk of it is found by."""
BATCH = 500


def clear(document: Document) -> bool:
    """Delete what an earlier reading had written; tell whether there was anything. In the caller's transaction."""
    return bool(Section.objects.filter(document=document).delete()[0])


def write(document: Document, sections: Sequence[SectionText], chunks: Sequence[ChunkText]) -> None:
    """Write the document's sections, chunks and index rows; in the caller's transaction."""
    section_rows = Section.objects.bulk_create(
        [
            Section(
                document=document,
                ordinal=ordinal,
                heading=list(section.heading),
                page_start=section.page_start,
                page_end=section.page_end,
                text=section.text,
            )
            for ordinal, section in enumerate(sections)
        ],
        batch_size=BATCH,
    )
    opening = sections[0].text[:OPENING] if sections else ""
    numbered = iter(enumerate(chunks))
    while batch := list(islice(numbered, BATCH)):
        rows = Chunk.objects.bulk_create(_chunk_row(document, section_rows, *item) for item in batch)
        lexical.add(
            lexical.IndexEntry(row.pk, row.text, " ".join(row.section.heading), opening, document.name) for row in rows
        )


def text_key(sections: Sequence[SectionText]) -> str:
    """Return the SHA-256 of the sections' texts: the same text, however it was stored, has the same key."""
    digest = hashlib.sha256()
    for section in sections:
        digest.update(section.text.encode())
        digest.update(b"\x1e")  # two sections are another text than both in one
    return digest.hexdigest()


def _chunk_row(document: Document, sections: Sequence[Section], ordinal: int, chunk: ChunkText) -> Chunk:
    return Chunk(
        document=document,
        section=sections[chunk.section],
        ordinal=ordinal,
        page=chunk.page,
        start=chunk.start,
        text=chunk.text,
        content_key=content_key(chunk.text),
    )
