"""Reads pages in HTML: what a person sees of them, nothing that runs."""

from __future__ import annotations

from pathlib import Path

from projects.intake.extract.base import Block, Context, Extraction, Report
from projects.intake.extract.html_blocks import decode_markup, read_page
from projects.intake.extract.ooxml import counted
from projects.intake.extract.sniff import HTML


def extract(path: Path, context: Context) -> Extraction:
    """Read a page; its title is the first heading unless the page shows it itself."""
    decoded = decode_markup(path.read_bytes())
    page = read_page(decoded.text)
    blocks = page.blocks
    first = next((block.text for block in blocks if block.level), "")
    if page.title and page.title != first:
        blocks = (Block(page.title, level=1), *blocks)
    missing = (counted(page.pictures, "picture", "left out"),) if page.pictures else ()
    report = Report(replaced=decoded.replaced, tables=page.tables, left_out=missing)
    return Extraction(HTML, blocks, warnings=decoded.warnings, report=report)
