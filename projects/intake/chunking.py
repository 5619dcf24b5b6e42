"""Chunks: the passage-sized pieces of a section that are searched, shown and cited."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from projects.intake.sections import SectionText
from projects.intake.splitting import split
from projects.intake.word_pieces import WordPieces

CHUNK_LIMIT = 1_000
"""Characters; in English some 230 word pieces."""
PIECE_LIMIT = 240
"""Word pieces by estimate: small embedding models read 256, two of them marks of their own, and drop the rest."""


@dataclass(frozen=True)
class ChunkText:
    """A piece of a section: `text` is found at `start` of the section's text; `page` is where it starts."""

    section: int
    start: int
    page: int | None
    text: str


def chunks_of(sections: Iterable[SectionText], limit: int = CHUNK_LIMIT) -> list[ChunkText]:
    """Cut sections into chunks of at most `limit` characters that an embedding model reads whole; `section` from 0."""
    return [
        ChunkText(index, piece.start, section.page_at(piece.start), piece.text)
        for index, section in enumerate(sections)
        for piece in split(section.text, limit, partial(WordPieces(section.text).reach, limit=PIECE_LIMIT))
    ]
