"""Walks through the tree of a page: what a person sees of it, in order, however deep it is."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

TEXT = "-text"
LONG_CELL = 2_000
"""Characters; a cell with more is a column of the page, not of a table."""

_UNSEEN = {
    "head", "script", "style", "template", "noscript", "iframe", "object", "embed", "audio", "video", "canvas",
    "svg", "datalist", "rt", "rp",
}  # fmt: skip
_CELLS = frozenset({"td", "th"})
_PAGE_PARTS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_HIDING = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all", re.IGNORECASE)


def walk(root: LexborNode) -> Iterator[tuple[LexborNode, bool]]:
    """Yield (node, True) when a node begins and (node, False) when it ends; what is unseen is passed over.

    It goes from node to node instead of calling itself: pages nest thousands deep where tags were never closed.
    """
    node = root
    while True:
        seen = not is_unseen(node)
        if seen:
            yield node, True
        below = node.child if seen else None
        if below is not None:
            node = below
            continue
        if seen:
            yield node, False
        while node.mem_id != root.mem_id and node.next is None and node.parent is not None:
            node = node.parent
            yield node, False
        if node.mem_id == root.mem_id or node.next is None:
            return
        node = node.next


def is_unseen(node: LexborNode) -> bool:
    """Tell whether a browser shows nothing of a node: code, metadata, comments, what is hidden by itself."""
    tag = node.tag or ""
    if tag.startswith("-"):
        return tag != TEXT
    if tag in _UNSEEN:
        return True
    attributes = node.attributes
    if not attributes:
        return tag == "option"
    if "hidden" in attributes or _HIDING.search(attributes.get("style") or ""):
        return True
    return tag == "option" and "selected" not in attributes


@dataclass
class _Shape:
    """What tells a table of data from one that lays a page out."""

    node: int
    widest: int = 0
    cells: int = 0
    longest: int = 0
    is_layout: bool = False


def data_tables(root: LexborNode) -> frozenset[int]:
    """Return the `mem_id`s of tables whose cells belong together as rows and columns.

    Others lay out a page or a mail: those that hold further tables or headings, whose cells are very long, that have
    one column alone or say themselves that they are presentation.
    """
    open_tables: list[_Shape] = []
    found = set()
    for node, begins in walk(root):
        tag = node.tag or ""
        if tag == "table" and begins:
            if open_tables:
                open_tables[-1].is_layout = True
            open_tables.append(_Shape(node.mem_id, is_layout=node.attributes.get("role") in {"presentation", "none"}))
        elif tag == "table":
            shape = open_tables.pop()
            if not shape.is_layout and shape.widest > 1:
                found.add(shape.node)
        elif open_tables:
            _measure(open_tables[-1], node, tag, begins)
    return frozenset(found)


def _measure(shape: _Shape, node: LexborNode, tag: str, begins: bool) -> None:
    if tag == "tr":
        shape.cells = 0
    elif tag in _CELLS and begins:
        shape.cells += 1
        shape.longest = 0
        shape.widest = max(shape.widest, shape.cells)
    elif tag in _PAGE_PARTS:
        shape.is_layout = True
    elif tag == TEXT and begins:
        shape.longest += len(node.text_content or "")
        shape.is_layout = shape.is_layout or shape.longest > LONG_CELL
