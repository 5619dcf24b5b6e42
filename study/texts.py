"""What the study is handed about documents: their text and their place, from whoever owns them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True)
class SectionText:
    """A stretch of a document under `heading`, the path of headings at its beginning, outermost first.

    A form feed in the text is a page break; pages are None for formats without them.
    """

    ordinal: int
    heading: tuple[str, ...]
    page_start: int | None
    page_end: int | None
    text: str


@dataclass(frozen=True)
class DocumentHead:
    """A document that can be read, without its text. `text_key` changes whenever the text does."""

    document_id: int
    project_id: int
    name: str
    text_key: str
    pages: int | None = None
    tokens: int | None = None


@dataclass(frozen=True)
class DocumentText(DocumentHead):
    """A document that can be read, with its sections in order."""

    sections: tuple[SectionText, ...] = ()

    @property
    def text(self) -> str:
        """All that the document says."""
        return "\n\n".join(section.text for section in self.sections)


class Texts(Protocol):
    """Where the study gets its documents; what is not readable (any more) is not there."""

    def document(self, document_id: int) -> DocumentText | None:
        """Return a document with its text, or None when there is none to be read."""

    def head(self, document_id: int) -> DocumentHead | None:
        """Return a document without its text, or None when there is none to be read."""

    def documents(self, project_id: int) -> list[DocumentHead]:
        """Return the readable documents of a project in the order in which they were added."""


_source: list[Texts] = []


def provide(texts: Texts) -> None:
    """Hand in the source of texts; once, when the process starts."""
    _source[:] = [texts]


def source() -> Texts:
    """Return the source of texts of this process."""
    if not _source:
        raise RuntimeError("study.texts.provide() has not been called")
    return _source[0]
