"""Reads OpenDocument texts (.odt) in reading order: headings, paragraphs, tables row by row, text boxes, notes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Block, Context, Extraction, Report
from projects.intake.extract.grids import grid_blocks
from projects.intake.extract.odt_numbering import OUTLINE, Numbering
from projects.intake.extract.ooxml import left_out
from projects.intake.extract.opendocument import CONTENT, name, opened, paragraph_text
from projects.intake.extract.packed import xml_root
from projects.intake.extract.sniff import ODT

_STYLES = "styles.xml"
_BODY = f"{name('office:body')}/{name('office:text')}"
_HEADING, _PARAGRAPH, _TABLE = name("text:h"), name("text:p"), name("table:table")
_ROW, _CELL, _HEADER_ROWS = map(name, ("table:table-row", "table:table-cell", "table:table-header-rows"))
_BOX, _NOTE, _NOTE_BODY, _COMMENT = map(name, ("draw:text-box", "text:note", "text:note-body", "office:annotation"))
_LIST, _ITEM = name("text:list"), name("text:list-item")
_TITLE = "Title"
_DELETED = name("text:tracked-changes")
_HEADERS = tuple(map(name, ("style:header", "style:header-first", "style:header-left")))
_FOOTERS = tuple(map(name, ("style:footer", "style:footer-first", "style:footer-left")))
# Deleted text is kept apart; a form's declarations and a chart's own table are no text of the document.
_SKIPPED = frozenset({_DELETED, _COMMENT, *map(name, ("office:forms", "draw:object", "text:sequence-decls"))})
MOST_REPEATED = 1_000
MOST_LEVELS = 10


@dataclass
class _Reading:
    """What is gathered on the way: footnotes come after the text, tables are counted."""

    numbering: Numbering
    titles: frozenset[str]
    notes: list[Block] = field(default_factory=list)
    tables: int = 0


def extract(path: Path, context: Context) -> Extraction:
    """Read a text document; headers and footers come once, before and after the text, notes at its end."""
    with opened(path, context) as archive:
        content = xml_root(archive, CONTENT)
        body = content.find(_BODY)
        if body is None:
            raise KeyError(_BODY)
        roots = [content, *(xml_root(archive, part) for part in (_STYLES,) if part in archive.namelist())]
        reading = _Reading(Numbering(*roots), _titles(roots))
        blocks = (
            *_repeated(roots[-1], _HEADERS, reading),
            *_blocks(body, reading),
            *reading.notes,
            *_repeated(roots[-1], _FOOTERS, reading),
        )
        report = Report(tables=reading.tables, left_out=left_out(archive.namelist(), *_left_out(content)))
    return Extraction(ODT, blocks, report=report)


def _blocks(container: Any, reading: _Reading) -> Iterator[Block]:
    """Yield what stands in a body, a cell or a text box, looking into lists, sections and the like."""
    for element in container.iterchildren():
        if element.tag in {_HEADING, _PARAGRAPH}:
            yield from _paragraph(element, reading)
        elif element.tag == _TABLE:
            reading.tables += 1
            header = sum(1 for _ in chain.from_iterable(map(_nested_rows, element.iterchildren(_HEADER_ROWS))))
            yield from grid_blocks(list(_rows(element, reading)), header)
        elif element.tag == _LIST:
            yield from _list(element, reading, "", 1)
        elif isinstance(element.tag, str) and element.tag not in _SKIPPED:
            yield from _blocks(element, reading)


def _list(element: Any, reading: _Reading, style: str, level: int) -> Iterator[Block]:
    """Yield the items of a list, each with its number; what follows the first paragraph of an item has none."""
    style = element.get(name("text:style-name"), style)
    if level == 1 and not any(element.get(name(key)) for key in ("text:continue-numbering", "text:continue-list")):
        reading.numbering.begin(style)
    for item in element.iterchildren(_ITEM, name("text:list-header")):
        first = next(item.iterchildren(_HEADING, _PARAGRAPH), None) if item.tag == _ITEM else None
        start = item.get(name("text:start-value"))
        label = "" if first is None else reading.numbering.label(style, level, int(start) if start else None)
        for child in item.iterchildren():
            if child.tag == _LIST:
                yield from _list(child, reading, style, level + 1)
            elif child.tag in {_HEADING, _PARAGRAPH}:
                yield from _paragraph(child, reading, label if child is first else "")


def _paragraph(element: Any, reading: _Reading, label: str = "") -> Iterator[Block]:
    text = paragraph_text(element).strip()
    level = int(element.get(name("text:outline-level"), 1)) if element.tag == _HEADING else 0
    if level and not label and element.get(name("text:is-list-header")) != "true":
        label = reading.numbering.label(OUTLINE, level)
    if element.get(name("text:style-name")) in reading.titles:
        level = level or 1
    if text:
        yield Block(f"{label} {text}" if label else text, level=min(level, MOST_LEVELS))
    for inner in _outermost(element):
        if inner.tag == _BOX:
            yield from _blocks(inner, reading)
        else:
            for body in inner.iterchildren(_NOTE_BODY):
                reading.notes += _blocks(body, reading)


def _outermost(element: Any) -> Iterator[Any]:
    """Yield the text boxes and notes that are anchored in a paragraph, not those within one of them."""
    for child in element.iterchildren():
        if child.tag in {_BOX, _NOTE}:
            yield child
        elif isinstance(child.tag, str) and child.tag not in _SKIPPED:
            yield from _outermost(child)


def _rows(table: Any, reading: _Reading) -> Iterator[list[str]]:
    """Yield the rows of a table; a nested table stays within its cell, a cell that covers several rows is in each."""
    below: dict[int, tuple[int, str]] = {}
    for row in _nested_rows(table):
        cells: list[str] = []
        for cell in row.iterchildren(_CELL, name("table:covered-table-cell")):
            place = len(cells)
            rows_left, text = below.get(place, (0, ""))
            if cell.tag == _CELL:
                text = " ".join(block.text for block in _blocks(cell, reading))
                rows_left = int(cell.get(name("table:number-rows-spanned"), 1))
            below[place] = (rows_left - 1, text)
            repeated = min(int(cell.get(name("table:number-columns-repeated"), 1)), MOST_REPEATED)
            cells += [text if rows_left > 0 else ""] * repeated
        yield cells


def _nested_rows(parent: Any) -> Iterator[Any]:
    """Yield the rows of a table, in header rows and groups too, but not those of tables in its cells."""
    for element in parent.iterchildren():
        if element.tag == _ROW:
            yield element
        elif isinstance(element.tag, str):
            yield from _nested_rows(element)


def _repeated(styles: Any, tags: tuple[str, ...], reading: _Reading) -> Iterator[Block]:
    """Yield the texts of all headers or footers of the pages, each text once."""
    seen: set[str] = set()
    for block in chain.from_iterable(_blocks(part, reading) for part in styles.iter(*tags)):
        if block.text not in seen:
            seen.add(block.text)
            yield Block(block.text)


def _titles(roots: list[Any]) -> frozenset[str]:
    """Return the styles that make a title: the one of that name, and those made from it for single paragraphs."""
    styles = [style for root in roots for style in root.iter(name("style:style"))]
    made = (
        style.get(name("style:name"), "") for style in styles if style.get(name("style:parent-style-name")) == _TITLE
    )
    return frozenset({_TITLE, *made})


def _left_out(content: Any) -> Iterator[str]:
    if next(content.iter(_COMMENT), None) is not None:
        yield "Comments were left out."
    if next(content.iter(_DELETED), None) is not None:
        yield "Text that was deleted with tracking of changes was left out."
