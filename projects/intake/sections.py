"""Sections: a document's text cut at its headings into stretches that can be read one at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from projects.intake.extract.base import Block
from projects.intake.splitting import split

SECTION_LIMIT = 6_000
"""Characters, some 1,500 tokens: the study reads a section in one go, and repeats at most one after a kill."""
SECTION_MINIMUM = 1_500
"""A heading starts a section of its own only when the one before has this much: forms have one every few lines."""
PREAMBLE = 120
"""Characters that may stand before a section's first heading, a page number say, without leaving it nameless."""
MAX_HEADING = 200


@dataclass(frozen=True)
class SectionText:
    """A stretch of a document under `heading`, the path of headings at its beginning, outermost first.

    Headings are part of the text. A form feed in the text is a page break, so every character has its page.
    """

    heading: tuple[str, ...]
    page_start: int | None
    text: str

    @property
    def page_end(self) -> int | None:
        return self.page_at(len(self.text))

    def page_at(self, offset: int) -> int | None:
        """Return the page of the character at `offset`."""
        return None if self.page_start is None else self.page_start + self.text.count("\f", 0, offset)


def sections_of(blocks: Iterable[Block], limit: int = SECTION_LIMIT) -> list[SectionText]:
    """Cut blocks into sections of at most `limit` characters; nothing is lost, order is kept."""
    path: list[tuple[int, str]] = []
    done: list[SectionText] = []
    draft = _Draft()
    for block in blocks:
        if block.level:
            path = [step for step in path if step[0] < block.level] + [(block.level, block.text[:MAX_HEADING])]
        heading = tuple(text for _, text in path)
        for piece in _bounded(block, limit):
            if draft.is_full(piece, limit):
                done += draft.close()
                draft = _Draft()
            draft.add(piece, heading)
    return done + draft.close()


@dataclass
class _Draft:
    """A section while it is put together."""

    heading: tuple[str, ...] = ()
    blocks: list[Block] = field(default_factory=list)
    text: str = ""

    def is_full(self, block: Block, limit: int) -> bool:
        """Tell whether the next block belongs into a section of its own."""
        if block.level and len(self.text) >= min(SECTION_MINIMUM, limit):
            return True
        return len(self.text) + len(self._gap(block)) + len(block.text) > limit

    def add(self, block: Block, heading: tuple[str, ...]) -> None:
        if not self.heading and len(self.text) < PREAMBLE:
            self.heading = heading
        self.text += self._gap(block) + block.text
        self.blocks.append(block)

    def close(self) -> list[SectionText]:
        return [SectionText(self.heading, self.blocks[0].page, self.text)] if self.blocks else []

    def _gap(self, block: Block) -> str:
        """Return what stands between the last block and this one: a form feed for each page turned, or a blank line."""
        if not self.blocks:
            return ""
        before = self.blocks[-1].page
        turned = block.page - before if block.page is not None and before is not None else 0
        return "\f" * turned if turned > 0 else "\n\n"


def _bounded(block: Block, limit: int) -> Iterator[Block]:
    """Cut a block that is longer than a section may be; its first piece stays a heading if it was one."""
    if len(block.text) <= limit:
        yield block
        return
    for index, piece in enumerate(split(block.text, limit)):
        yield Block(piece.text, block.page, block.level if index == 0 else 0)
