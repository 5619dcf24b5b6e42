"""Reads Word documents (.docx) in reading order: headings, paragraphs, tables row by row, text boxes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

from projects.intake.extract.base import Block, Context, Extraction, ExtractionError, Report, clean
from projects.intake.extract.docx_numbering import Numbering
from projects.intake.extract.docx_table import Grid
from projects.intake.extract.ooxml import left_out
from projects.intake.extract.ooxml_graphics import graphic_blocks, graphic_ids
from projects.intake.extract.ooxml_package import Package, opened
from projects.intake.extract.sniff import DOCX

DAMAGED = "The Word document is damaged: it does not open. Save it anew and add it again."

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MATH_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_BOX = f"{_W}txbxContent"
_DELETED = (f"{_W}del", f"{_W}moveFrom")
# A text box is stored twice (drawing and fallback), deleted text is kept for the record, letters of another script may
# say how a word is pronounced: none is read as text.
_SKIPPED = {_FALLBACK, _BOX, *_DELETED, *(f"{_W}{tag}" for tag in ("instrText", "delInstrText", "pPr", "rPr", "rt"))}
_SIGNS = {
    f"{_W}tab": "\t",
    f"{_W}ptab": "\t",
    f"{_W}br": "\n",
    f"{_W}cr": "\n",
    f"{_W}noBreakHyphen": "-",
    f"{_W}softHyphen": "",
}
_TEXTS = {f"{_W}t", _MATH_TEXT}
_HEADING = re.compile(r"heading (\d)")


@dataclass
class _Reading:
    """What holds for the whole document, and what is counted on the way."""

    levels: dict[str, int]
    numbering: Numbering
    graphics: dict[str, Any]
    """By the ids of their relations; one is taken out as it is read, and so is read once."""
    tables: int = 0


def extract(path: Path, context: Context) -> Extraction:
    """Read a Word document; what its pages repeat (headers, footers) comes once, before and after the text."""
    from docx.opc.exceptions import PackageNotFoundError

    with opened(path, context) as package:
        try:
            return _read(package)
        # What python-docx stumbles over in a broken document; lxml's XMLSyntaxError is a SyntaxError.
        except (PackageNotFoundError, SyntaxError, LookupError, ValueError, AttributeError, BadZipFile) as error:
            raise ExtractionError(DAMAGED) from error


def _read(package: Package) -> Extraction:
    import docx

    document: Any = docx.Document(str(package.path))
    reading = _Reading(_heading_levels(document), Numbering(document), dict(document.part.related_parts))
    blocks = (
        *_repeated(document, "header", reading),
        *_blocks(document.element.body, reading),
        *_notes(document, reading),
        *_repeated(document, "footer", reading),
    )
    report = Report(tables=reading.tables, left_out=left_out(package.parts, *_deleted(document)))
    return Extraction(DOCX, blocks, report=report)


def _heading_levels(document: Any) -> dict[str, int]:
    """Return the heading level by style id; styles built on a heading style count as it does."""
    levels: dict[str, int] = {}
    for style in document.styles:
        ancestor, steps = style, 0
        while ancestor is not None and steps < 20:
            name = (ancestor.name or "").lower()
            match = _HEADING.fullmatch(name)
            if match or name == "title":
                levels[style.style_id] = int(match.group(1)) if match else 1
                break
            ancestor, steps = getattr(ancestor, "base_style", None), steps + 1
    return levels


def _blocks(container: Any, reading: _Reading) -> Iterator[Block]:
    """Yield what stands in a body, a cell or a text box, looking into content controls and the like."""
    for element in container.iterchildren():
        if element.tag == f"{_W}p":
            yield from _paragraph(element, reading)
        elif element.tag == f"{_W}tbl":
            yield from _table(element, reading)
        elif isinstance(element.tag, str) and element.tag not in _SKIPPED:
            yield from _blocks(element, reading)


def _paragraph(element: Any, reading: _Reading) -> Iterator[Block]:
    text = clean(_text(element)).strip()
    label = reading.numbering.label(element)
    if text:
        style = element.find(f"{_W}pPr/{_W}pStyle")
        level = reading.levels.get(style.get(f"{_W}val"), 0) if style is not None else 0
        yield Block(f"{label} {text}" if label else text, level=level)
    for box in _boxes(element):
        yield from _blocks(box, reading)
    for identity in graphic_ids(element):
        part = reading.graphics.pop(identity, None)
        if part is not None:
            yield from graphic_blocks(part.blob)


def _table(table: Any, reading: _Reading) -> Iterator[Block]:
    """Yield a table in blocks of rows; a nested table follows within its cell."""
    reading.tables += 1
    grid = Grid()
    for row in _nested(table, f"{_W}tr"):
        grid.begin_row(row)
        for cell in _nested(row, f"{_W}tc"):
            words = (" ".join(block.text.split("\n")) for block in _blocks(cell, reading))
            grid.add(cell, " ".join(words))
    yield from grid.blocks()


def _nested(parent: Any, tag: str) -> Iterator[Any]:
    """Yield the elements with this tag that are children of `parent` or wrapped by content controls or changes."""
    for element in parent.iterchildren():
        if element.tag == tag:
            yield element
        elif element.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}moveTo", f"{_W}customXml"}:
            yield from _nested(element, tag)


def _deleted(document: Any) -> Iterator[str]:
    """Say that tracked deletions were left out; the marks of deleted paragraph ends and rows hold no text."""
    for deleted in document.element.body.iter(*_DELETED):
        if next(deleted.iter(f"{_W}delText", f"{_W}t"), None) is not None:
            yield "Text that was deleted with tracking of changes was left out."
            return


def _text(element: Any) -> str:
    """Return the text of an element and all within it, text boxes excepted."""
    if element.tag in _TEXTS:
        return element.text or ""
    if element.tag in _SIGNS:
        return _SIGNS[element.tag]
    return "".join(_text(child) for child in element.iterchildren() if child.tag not in _SKIPPED)


def _boxes(element: Any) -> Iterator[Any]:
    """Yield the outermost text boxes within an element, each once."""
    for child in element.iterchildren():
        if child.tag == _BOX:
            yield child
        elif child.tag != _FALLBACK and child.tag not in _DELETED:
            yield from _boxes(child)


def _repeated(document: Any, kind: str, reading: _Reading) -> Iterator[Block]:
    """Yield the texts of all headers or footers, each text once."""
    seen: set[str] = set()
    for section in document.sections:
        for name in (kind, f"first_page_{kind}", f"even_page_{kind}"):
            part = getattr(section, name)
            if part.is_linked_to_previous:
                continue
            for block in _blocks(part._element, reading):
                if block.text not in seen:
                    seen.add(block.text)
                    yield Block(block.text)


def _notes(document: Any, reading: _Reading) -> Iterator[Block]:
    """Yield footnotes and endnotes, which are parts of their own."""
    from docx.oxml import parse_xml

    for relation in document.part.rels.values():
        if relation.reltype.endswith(("/footnotes", "/endnotes")) and not relation.is_external:
            yield from _blocks(parse_xml(relation.target_part.blob), reading)
