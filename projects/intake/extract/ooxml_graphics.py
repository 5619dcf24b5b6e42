"""Reads what charts and diagrams of office files say: the figures behind a chart, the words in a diagram."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from projects.intake.extract.base import Block, clean
from projects.intake.extract.rows import table_blocks
from projects.intake.extract.sheets_display import displayed

_A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_D = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
GRAPHICS = frozenset({f"{_C}chart", f"{_D}relIds"})
"""Elements that stand for a chart or a diagram, which is a part of its own."""
_OF_WORDS = {"", "node", "asst"}
"""Kinds of points in a diagram that a person wrote; the others are of its layout."""


def graphic_ids(element: Any) -> Iterator[str]:
    """Yield the ids of the relations to the charts and diagrams that are drawn within an element."""
    for graphic in element.iter(*GRAPHICS):
        identity = graphic.get(f"{_R}id") or graphic.get(f"{_R}dm")
        if identity:
            yield identity


def graphic_blocks(part: bytes, page: int | None = None) -> Iterator[Block]:
    """Yield what a part with a chart or a diagram says; SyntaxError if it is broken."""
    from lxml import etree

    root = etree.fromstring(part, etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False))
    if root.tag == f"{_C}chartSpace":
        yield from _chart(root, page)
        return
    lines = (_words(point) for point in root.iter(f"{_D}pt") if point.get("type", "") in _OF_WORDS)
    text = "\n".join(line for line in lines if line)
    if text:
        yield Block(text, page)


def _chart(root: Any, page: int | None) -> Iterator[Block]:
    """Yield a chart's title and its figures, a row for each category, a column for each series."""
    title = root.find(f"{_C}chart/{_C}title")
    if title is not None and (text := _words(title)):
        yield Block(text, page)
    series = list(root.iter(f"{_C}ser"))
    categories: dict[int, str] = {}
    values: list[dict[int, str]] = []
    for one in series:
        categories = {**_points(one, "cat", "xVal"), **categories}
        values.append(_points(one, "val", "yVal"))
    header = ["", *(" ".join(_points(one, "tx").values()) for one in series)]
    places = sorted(categories.keys() | {place for points in values for place in points})
    rows = ([categories.get(place, ""), *(points.get(place, "") for points in values)] for place in places)
    yield from table_blocks(header if any(header) else (), rows, page)


def _points(series: Any, *names: str) -> dict[int, str]:
    """Return the points that are kept with a chart, as they are displayed, by their places."""
    found: dict[int, str] = {}
    for name in names:
        for kept in series.iterfind(f"{_C}{name}//{_C}pt/.."):
            number_format = kept.findtext(f"{_C}formatCode") or "General"
            for point in kept.iterchildren(f"{_C}pt"):
                found[int(point.get("idx", 0))] = _shown(point.findtext(f"{_C}v") or "", number_format)
    return found


def _shown(value: str, number_format: str) -> str:
    try:
        return displayed(float(value), number_format)
    except (ValueError, OverflowError):
        return value


def _words(element: Any) -> str:
    paragraphs = ("".join(run.text or "" for run in part.iter(f"{_A}t")) for part in element.iter(f"{_A}p"))
    return clean(" ".join(text for text in paragraphs if text.strip())).strip()
