"""Which reader reads which true type."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

from projects.blank import is_blank
from projects.intake.extract.base import Extraction, ExtractionError, Extractor
from projects.intake.extract.sniff import DOCX, MARKDOWN, PDF, PLAIN, true_type

# Named rather than imported: a reader and its libraries are loaded for the first file of its kind.
_READERS = {
    PDF: "projects.intake.extract.pdf",
    DOCX: "projects.intake.extract.docx",
    MARKDOWN: "projects.intake.extract.markdown",
    PLAIN: "projects.intake.extract.plain",
}


def extract(path: Path, name: str) -> Extraction:
    """Read the file at `path`; `name`, as the person called it, only tells apart kinds of plain text.

    Raises ExtractionError with a sentence for a person; whatever else comes out is a fault of a reader.
    """
    if not path.exists():
        raise ExtractionError("The stored file is gone. Remove the document and add it again.")
    media_type = true_type(path, name)
    extraction = _reader(media_type)(path)
    if all(is_blank(block.text) for block in extraction.blocks):
        raise ExtractionError("There is no text in this file.")
    return replace(extraction, media_type=media_type)


def _reader(media_type: str) -> Extractor:
    reader: Extractor = import_module(_READERS[media_type]).extract
    return reader
