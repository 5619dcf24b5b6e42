"""Writes what was read of a document into its rows: sections, chunks and the word index."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from projects.intake.chunking import ChunkText
from projects.intake.sections import SectionText
from projects.models import Chunk, Document, Section
from projects.retrieval import lexical
from projects.retrieval.passages import content_key

OPENING = 300
"""Characters of a document's beginning that every chunk of it is found by."""
BATCH = 500
SECTIONS = 100
"""Of one part: a few hundred chunks, a moment's work."""


def clear(document: Document) -> bool:
    """Delete what an earlier reading had written; tell whether there was anything. In the caller's transaction."""
    return bool(Section.objects.filter(document=document).delete()[0])


@dataclass(frozen=True)
class Part:
    """Some sections of a document with the chunks cut from them; both know how many come before."""

    first_section: int
    sections: Sequence[SectionText]
    first_chunk: int
    chunks: Sequence[ChunkText]


def parts_of(sections: Sequence[SectionText], chunks: Sequence[ChunkText]) -> Iterator[Part]:
    """Cut a document into parts of some hundred chunks, each of which is written in a moment."""
    written = 0
    for first in range(0, len(sections), SECTIONS):
        some = sections[first : first + SECTIONS]
        end = written
        while end < len(chunks) and chunks[end].section < first + SECTIONS:
            end += 1
        yield Part(first, some, written, chunks[written:end])
        written = end


def write(document: Document, part: Part, opening: str) -> None:
    """Write a part's sections, chunks and index rows; in the caller's transaction.

    `opening` are the first characters of the document's text: every chunk of it is found by them too.
    """
    section_rows = Section.objects.bulk_create(
        Section(
            document=document,
            ordinal=ordinal,
            heading=list(section.heading),
            page_start=section.page_start,
            page_end=section.page_end,
            text=section.text,
        )
        for ordinal, section in enumerate(part.sections, part.first_section)
    )
    numbered = enumerate(part.chunks, part.first_chunk)
    while batch := list(islice(numbered, BATCH)):
        rows = Chunk.objects.bulk_create(
            _chunk_row(document, section_rows[chunk.section - part.first_section], ordinal, chunk)
            for ordinal, chunk in batch
        )
        lexical.add(
            lexical.IndexEntry(row.pk, row.text, " ".join(row.section.heading), opening[:OPENING], document.name)
            for row in rows
        )


def text_key(sections: Sequence[SectionText]) -> str:
    """Return the SHA-256 of the sections' texts: the same text, however it was stored, has the same key."""
    digest = hashlib.sha256()
    for section in sections:
        digest.update(section.text.encode())
        digest.update(b"\x1e")  # two sections are another text than both in one
    return digest.hexdigest()


def _chunk_row(document: Document, section: Section, ordinal: int, chunk: ChunkText) -> Chunk:
    return Chunk(
        document=document,
        section=section,
        ordinal=ordinal,
        page=chunk.page,
        start=chunk.start,
        text=chunk.text,
        content_key=content_key(chunk.text),
    )
