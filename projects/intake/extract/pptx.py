"""Reads PowerPoint presentations (.pptx): slide by slide as they are shown, each with its notes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Block, Context, Extraction, ExtractionError, Report, clean
from projects.intake.extract.grids import grid_blocks
from projects.intake.extract.ooxml import left_out
from projects.intake.extract.ooxml_graphics import GRAPHICS, graphic_blocks, graphic_ids
from projects.intake.extract.ooxml_package import opened
from projects.intake.extract.sniff import PPTX

DAMAGED = "The PowerPoint presentation is damaged: it does not open. Save it anew and add it again."

_P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_SHAPE, _TABLE, _FALLBACK = f"{_P}sp", f"{_A}tbl", f"{_MC}Fallback"
_TITLES = {"title", "ctrTitle"}
_BY_LAYOUT = {"sldNum", "dt", "sldImg", "hdr"}
"""Kinds of placeholders that hold a number, a date or a picture of the slide."""

# What python-pptx stumbles over in a broken package; lxml's XMLSyntaxError is a SyntaxError.
_BROKEN = (SyntaxError, KeyError, ValueError, AttributeError, TypeError, IndexError)


@dataclass
class _Reading:
    """What is gathered on the way: footers that were read once, and how many tables there are."""

    footers: set[str] = field(default_factory=set)
    tables: int = 0


def extract(path: Path, context: Context) -> Extraction:
    """Read all slides in the order of the presentation, hidden ones too; pages are slides."""
    reading = _Reading()
    blocks: list[Block] = []
    with opened(path, context) as package:
        slides = _slides(package.path)
        for page, slide in enumerate(slides, start=1):
            try:
                blocks += _slide(slide, page, reading)
            except _BROKEN as error:
                raise ExtractionError(DAMAGED) from error
            context.progress(page, len(slides))
        report = Report(tables=reading.tables, left_out=left_out(package.parts))
    return Extraction(PPTX, tuple(blocks), len(slides), report=report)


def _slides(path: Path) -> list[Any]:
    import pptx
    from pptx.exc import PackageNotFoundError, PythonPptxError

    try:
        return list(pptx.Presentation(str(path)).slides)
    except (PackageNotFoundError, PythonPptxError, zipfile.BadZipFile, *_BROKEN) as error:
        raise ExtractionError(DAMAGED) from error


def _slide(slide: Any, page: int, reading: _Reading) -> Iterator[Block]:
    shapes = list(_shapes(slide.shapes._spTree))
    title = next((text for shape in shapes if _kind(shape) in _TITLES and (text := _text(shape))), "")
    hidden = " (hidden slide)" if slide._element.get("show") in {"0", "false"} else ""
    if hidden or title:
        yield Block(f"{' '.join((title or f'Slide {page}').split())}{hidden}", page, 1)
    for shape in shapes:
        if shape.tag in GRAPHICS:
            yield from _graphic(slide, shape, page)
        elif _kind(shape) not in _TITLES:
            yield from _shape(shape, page, reading)
    if slide.has_notes_slide:
        for shape in _shapes(slide.notes_slide.shapes._spTree):
            if _kind(shape) == "body" and (text := _text(shape)):
                yield Block(f"Notes: {text}", page)


def _graphic(slide: Any, graphic: Any, page: int) -> Iterator[Block]:
    for identity in graphic_ids(graphic):
        relation = slide.part.rels.get(identity)
        if relation is not None and not relation.is_external:
            yield from graphic_blocks(relation.target_part.blob, page)


def _shapes(tree: Any) -> Iterator[Any]:
    """Yield shapes with text, tables, charts and diagrams in the order in which they are read out, looking into groups.

    A shape that old programs do not know is stored twice; the fallback for them is passed over.
    """
    for element in tree.iterchildren():
        if element.tag in {_SHAPE, _TABLE} or element.tag in GRAPHICS:
            yield element
        elif isinstance(element.tag, str) and element.tag != _FALLBACK:
            yield from _shapes(element)


def _shape(shape: Any, page: int, reading: _Reading) -> Iterator[Block]:
    if shape.tag == _TABLE:
        reading.tables += 1
        yield from grid_blocks(list(_rows(shape)), _header_rows(shape), page)
        return
    kind = _kind(shape)
    text = "" if kind in _BY_LAYOUT else _text(shape)
    if kind == "ftr":
        if text in reading.footers:
            return
        reading.footers.add(text)
    if text:
        yield Block(text, page)


def _kind(shape: Any) -> str:
    """Return what a placeholder is for: title, body, ftr…; empty for another shape."""
    placeholder = shape.find(f"{_P}nvSpPr/{_P}nvPr/{_P}ph")
    return "" if placeholder is None else placeholder.get("type", "body")


def _text(shape: Any) -> str:
    """Return the paragraphs of a shape or a cell, one a line."""
    lines = ("".join(_runs(paragraph)) for paragraph in shape.iter(f"{_A}p"))
    return clean("\n".join(line for line in lines if line.strip())).strip()


def _runs(paragraph: Any) -> Iterator[str]:
    for element in paragraph.iter(f"{_A}t", f"{_A}br"):
        yield (element.text or "") if element.tag == f"{_A}t" else "\n"


def _rows(table: Any) -> Iterator[list[str]]:
    """Yield the rows of a table; a cell that covers several rows is in each, one that covers columns in the first."""
    above: list[str] = []
    for row in table.iterchildren(f"{_A}tr"):
        cells = []
        for place, cell in enumerate(row.iterchildren(f"{_A}tc")):
            covered = cell.get("vMerge") in {"1", "true"} and place < len(above)
            beside = cell.get("hMerge") in {"1", "true"}
            cells.append(above[place] if covered else "" if beside else " ".join(_text(cell).split()))
        above = cells
        yield cells


def _header_rows(table: Any) -> int:
    properties = table.find(f"{_A}tblPr")
    return int(properties is not None and properties.get("firstRow") in {"1", "true"})
