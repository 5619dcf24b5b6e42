"""Chunks: the passage-sized pieces of a section that are searched, shown and cited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from projects.intake.sections import SectionText
from projects.intake.splitting import split

CHUNK_LIMIT = 1_000
"""Characters, some 250 tokens: below the 256 to 512 that small embedding models take in."""


@dataclass(frozen=True)
class ChunkText:
    """A piece of a section: `text` is found at `start` of the section's text; `page` is where it starts."""

    section: int
    start: int
    page: int | None
    text: str


def chunks_of(sections: Iterable[SectionText], limit: int = CHUNK_LIMIT) -> list[ChunkText]:
    """Cut sections into chunks of at most `limit` characters, in order; `section` counts from 0."""
    return [
        ChunkText(index, piece.start, section.page_at(piece.start), piece.text)
        for index, section in enumerate(sections)
        for piece in split(section.text, limit)
    ]
