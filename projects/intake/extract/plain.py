"""Reads plain text: paragraphs between blank lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from projects.blank import is_blank
from projects.intake.extract.base import Block, Context, Extraction, ExtractionError, Report, clean
from projects.intake.extract.decoding import Decoded, decode
from projects.intake.extract.sniff import PLAIN

_BLANK_LINES = re.compile(r"\n\s*\n")


def extract(path: Path, context: Context) -> Extraction:
    """Read a text file in whatever encoding it is."""
    decoded = read_text(path)
    report = Report(replaced=decoded.replaced)
    return Extraction(PLAIN, tuple(paragraphs(decoded.text)), warnings=decoded.warnings, report=report)


def read_text(path: Path) -> Decoded:
    """Return a file's text, storable; raises ExtractionError if it is empty."""
    decoded = read_raw(path)
    return replace(decoded, text=clean(decoded.text))


def read_raw(path: Path) -> Decoded:
    """Return a file's text as it is, for readers that go by its line ends; raises ExtractionError if it is empty."""
    decoded = decode(path.read_bytes())
    if is_blank(decoded.text):
        raise ExtractionError("The file is empty.")
    return decoded


def paragraphs(text: str) -> Iterator[Block]:
    """Yield what stands between blank lines."""
    for paragraph in _BLANK_LINES.split(text):
        bare = paragraph.strip("\n")
        if bare.strip():
            yield Block(bare)
