"""Which reader reads which true type."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

from projects.blank import is_blank
from projects.intake.extract import sniff
from projects.intake.extract.base import Context, Extraction, ExtractionError, Extractor
from projects.intake.extract.ooxml_password import unlocked

_HERE = "projects.intake.extract"

# Named rather than imported: a reader and its libraries are loaded for the first file of its kind.
_READERS = {
    sniff.PDF: "pdf",
    sniff.DOCX: "docx",
    sniff.PPTX: "pptx",
    sniff.XLSX: "xlsx",
    sniff.XLS: "xls",
    sniff.ODT: "odt",
    sniff.ODS: "ods",
    sniff.RTF: "rtf",
    sniff.DOC: "legacy",
    sniff.PPT: "legacy",
    sniff.EPUB: "epub",
    sniff.HTML: "html",
    sniff.EML: "eml",
    sniff.MSG: "msg",
    sniff.CSV: "csv_table",
    sniff.JSON: "json_text",
    sniff.MARKDOWN: "markdown",
    sniff.PLAIN: "plain",
    sniff.PNG: "picture",
    sniff.JPEG: "picture",
    sniff.TIFF: "picture",
}


def extract(path: Path, context: Context) -> Extraction:
    """Read the file at `path`, whose name only tells apart kinds of plain text.

    Raises ExtractionError with a sentence for a person; whatever else comes out is a fault of a reader.
    """
    if not path.exists():
        raise ExtractionError("The stored file is gone. Remove the document and add it again.")
    media_type = sniff.true_type(path, context.name)
    if media_type == sniff.LOCKED:
        with unlocked(path, context) as opened:
            return extract(opened, context)
    extraction = _reader(media_type)(path, context)
    if not extraction.attachments and all(is_blank(block.text) for block in extraction.blocks):
        raise ExtractionError("There is no text in this file.")
    return replace(extraction, media_type=media_type)


def _reader(media_type: str) -> Extractor:
    reader: Extractor = import_module(f"{_HERE}.{_READERS[media_type]}").extract
    return reader
