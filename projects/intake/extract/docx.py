"""Reads Word documents (.docx) in reading order: headings, paragraphs, tables row by row, text boxes."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Block, Context, Extraction, ExtractionError, clean
from projects.intake.extract.sniff import DOCX

CELL_GAP = " | "

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_BOX = f"{_W}txbxContent"
# A text box is stored twice (drawing and fallback), deleted text is kept for the record: neither is read as text.
_SKIPPED = {_FALLBACK, _BOX, f"{_W}del", f"{_W}moveFrom", f"{_W}instrText", f"{_W}pPr", f"{_W}rPr"}
_SIGNS = {
    f"{_W}tab": "\t",
    f"{_W}br": "\n",
    f"{_W}cr": "\n",
    f"{_W}noBreakHyphen": "-",
    f"{_W}softHyphen": "",
}
_HEADING = re.compile(r"heading (\d)")


def extract(path: Path, context: Context) -> Extraction:
    """Read a Word document; what its pages repeat (headers, footers) comes once, before and after the text."""
    document = _open(path)
    levels = _heading_levels(document)
    blocks = [
        *_repeated(document, "header"),
        *_blocks(document.element.body, levels),
        *_notes(document),
        *_repeated(document, "footer"),
    ]
    return Extraction(DOCX, tuple(blocks), warnings=_warnings(document))


def _open(path: Path) -> Any:
    import docx
    from docx.opc.exceptions import PackageNotFoundError

    try:
        return docx.Document(str(path))
    # lxml's XMLSyntaxError is a SyntaxError.
    except (PackageNotFoundError, SyntaxError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise ExtractionError("The Word document is damaged: it does not open.") from error


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


def _blocks(container: Any, levels: dict[str, int]) -> Iterator[Block]:
    """Yield what stands in a body, a cell or a text box, looking into content controls and the like."""
    for element in container.iterchildren():
        if element.tag == f"{_W}p":
            yield from _paragraph(element, levels)
        elif element.tag == f"{_W}tbl":
            text = "\n".join(_rows(element))
            if text.strip():
                yield Block(text)
        elif isinstance(element.tag, str) and element.tag not in _SKIPPED:
            yield from _blocks(element, levels)


def _paragraph(element: Any, levels: dict[str, int]) -> Iterator[Block]:
    text = clean(_text(element))
    if text.strip():
        style = element.find(f"{_W}pPr/{_W}pStyle")
        yield Block(text.strip(), level=levels.get(style.get(f"{_W}val"), 0) if style is not None else 0)
    for box in _boxes(element):
        yield from _blocks(box, levels)


def _rows(table: Any) -> Iterator[str]:
    """Yield the rows of a table, cells apart; a nested table follows within its cell."""
    for row in _nested(table, f"{_W}tr"):
        cells = [" ".join(_cell_texts(cell)) for cell in _nested(row, f"{_W}tc")]
        if any(cells):
            yield CELL_GAP.join(cells)


def _cell_texts(cell: Any) -> Iterator[str]:
    for block in _blocks(cell, {}):
        yield " ".join(block.text.split("\n"))


def _nested(parent: Any, tag: str) -> Iterator[Any]:
    """Yield the elements with this tag that are children of `parent` or wrapped by content controls or changes."""
    for element in parent.iterchildren():
        if element.tag == tag:
            yield element
        elif element.tag in {f"{_W}sdt", f"{_W}sdtContent", f"{_W}ins", f"{_W}customXml"}:
            yield from _nested(element, tag)


def _warnings(document: Any) -> tuple[str, ...]:
    """Say how many entities were left out: they stand for text in another file, which is never fetched."""
    from lxml.etree import Entity

    count = sum(1 for _ in document.element.iter(Entity))
    if not count:
        return ()
    places = "1 place" if count == 1 else f"{count:,} places"
    return (f"In {places}, text from outside of the document (an XML entity) was left out.",)


def _text(element: Any) -> str:
    """Return the text of an element and all within it, text boxes excepted."""
    if element.tag == f"{_W}t":
        # An entity is a child without a text of its own; what follows it in the run is its tail.
        return (element.text or "") + "".join(child.tail or "" for child in element)
    if element.tag in _SIGNS:
        return _SIGNS[element.tag]
    return "".join(_text(child) for child in element.iterchildren() if child.tag not in _SKIPPED)


def _boxes(element: Any) -> Iterator[Any]:
    """Yield the outermost text boxes within an element, each once."""
    for child in element.iterchildren():
        if child.tag == _BOX:
            yield child
        elif child.tag != _FALLBACK:
            yield from _boxes(child)


def _repeated(document: Any, kind: str) -> Iterator[Block]:
    """Yield the texts of all headers or footers, each text once."""
    seen: set[str] = set()
    for section in document.sections:
        for name in (kind, f"first_page_{kind}", f"even_page_{kind}"):
            part = getattr(section, name)
            if part.is_linked_to_previous:
                continue
            for block in _blocks(part._element, {}):
                if block.text not in seen:
                    seen.add(block.text)
                    yield block


def _notes(document: Any) -> Iterator[Block]:
    """Yield footnotes and endnotes, which are parts of their own."""
    from docx.oxml import parse_xml

    for relation in document.part.rels.values():
        if relation.reltype.endswith(("/footnotes", "/endnotes")) and not relation.is_external:
            yield from _blocks(parse_xml(relation.target_part.blob), {})
