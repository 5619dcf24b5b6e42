"""Reads plain text: paragraphs between blank lines."""

from __future__ import annotations

import re
from pathlib import Path

from projects.blank import is_blank
from projects.intake.extract.base import Block, Context, Extraction, ExtractionError, clean
from projects.intake.extract.decoding import decode
from projects.intake.extract.sniff import PLAIN

_BLANK_LINES = re.compile(r"\n\s*\n")


def extract(path: Path, context: Context) -> Extraction:
    """Read a text file in whatever encoding it is."""
    text, warnings = read_text(path)
    paragraphs = (paragraph.strip("\n") for paragraph in _BLANK_LINES.split(text))
    return Extraction(PLAIN, tuple(Block(p) for p in paragraphs if p.strip()), warnings=warnings)


def read_text(path: Path) -> tuple[str, tuple[str, ...]]:
    """Return a file's text, storable, and warnings about what was lost; raises ExtractionError if it is empty."""
    decoded = decode(path.read_bytes())
    text = clean(decoded.text)
    if is_blank(text):
        raise ExtractionError("The file is empty.")
    if not decoded.replaced:
        return text, ()
    some = "1 character" if decoded.replaced == 1 else f"{decoded.replaced:,} characters"
    return text, (f"{some} could not be read in the encoding {decoded.encoding}.",)
