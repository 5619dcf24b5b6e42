"""Makes blocks of a page in HTML: paragraphs, headings, lists, tables and preformatted text, as a person sees them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from projects.intake.extract.base import Block, clean
from projects.intake.extract.decoding import Decoded, decode_as
from projects.intake.extract.html_table import Table
from projects.intake.extract.html_tree import TEXT, data_tables, walk

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

DEEPEST = 6
"""Levels of lists and quotations that are marked; deeper ones look like this one."""
DECLARATION = 4096
"""Bytes in which a page says its encoding; browsers look at fewer."""

_CHARSET = re.compile(rb"<(?:meta|\?xml)\b[^>]*?(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_SPACES = re.compile("[ \t\n\r\f\u00a0]+")
_UNSEEN_CHARACTERS = re.compile("[\u00ad\ufeff]")
_SPACE_RUNS = re.compile(" {2,}")
_AROUND_BREAKS = re.compile(" *\n *")
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_LISTS = frozenset({"ul", "ol", "menu", "dl"})
_CELLS = frozenset({"td", "th"})
_PARAGRAPHS = {
    "address", "article", "aside", "blockquote", "body", "caption", "center", "dd", "details", "dialog", "dir",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6",
    "header", "hgroup", "hr", "html", "legend", "li", "listing", "main", "menu", "nav", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "title", "tr", "ul", "xmp",
}  # fmt: skip
_VERBATIM = frozenset({"pre", "textarea", "listing", "xmp"})
_TYPED = frozenset({"", "text", "email", "tel", "url", "number", "date", "time", "datetime-local", "month", "search"})


@dataclass(frozen=True)
class Page:
    """What a page holds: its title, its blocks in order, how many tables of data and how many pictures."""

    title: str
    blocks: tuple[Block, ...]
    tables: int
    pictures: int


def read_page(markup: str | bytes) -> Page:
    """Return what a person sees of a page, or of a piece of one; never fails. Bytes are decoded as the page says.

    Tables of data come as blocks of rows, list items as lines that begin with '- ' or their number, quotations as
    lines that begin with '> '. The title is not among the blocks.
    """
    from selectolax.lexbor import LexborHTMLParser

    tree = LexborHTMLParser(markup if isinstance(markup, str) else decode_markup(markup).text)
    title = tree.css_first("title")
    shown = clean(_SPACES.sub(" ", title.text() or "").strip()) if title else ""
    if tree.body is None:  # a frameset
        return Page(shown, (), 0, 0)
    writer = _Writer(data_tables(tree.body))
    for node, begins in walk(tree.body):
        if begins:
            writer.begin(node)
        else:
            writer.end(node)
    return Page(shown, tuple(writer.done()), writer.tables, writer.pictures)


def decode_markup(content: bytes, declared: str = "") -> Decoded:
    """Decode a page; `declared` is what came with it, and counts before what it says itself."""
    match = _CHARSET.search(content[:DECLARATION])
    return decode_as(content, declared or (match.group(1).decode("ascii", "replace") if match else ""))


class _Writer:
    """Collects the text of nodes as they begin and end, and makes blocks of it."""

    def __init__(self, data: frozenset[int]) -> None:
        self.tables = 0
        self.pictures = 0
        self._data = data
        self._blocks: list[Block] = []
        self._lines: list[str] = []  # of the list or quotation that is open
        self._text: list[str] = []  # of the paragraph that is open
        self._counters: list[int | None] = []  # of the lists that are open, None where items have no numbers
        self._bullet = ""
        self._quotes = 0
        self._verbatim = 0
        self._table: Table | None = None
        self._cell: list[str] | None = None

    def begin(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == TEXT:
            self._add(node.text_content or "")
            return
        if tag in _PARAGRAPHS:
            self._flush()
        if tag == "br":
            self._text.append("\n")
        elif tag == "img":
            self.pictures += 1
        elif tag == "input":
            self._add(_typed(node))
        elif tag == "blockquote":
            self._quotes += 1
        elif tag in _VERBATIM:
            self._verbatim += 1
        elif tag in _LISTS or tag == "li":
            self._begin_list(tag, node)
        else:
            self._begin_table(tag, node)

    def end(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag not in _PARAGRAPHS:
            return
        self._flush(_HEADINGS.get(tag, 0))
        if tag in _LISTS:
            self._counters.pop()
        elif tag == "li":
            self._bullet = ""
        elif tag == "blockquote":
            self._quotes -= 1
        elif tag in _VERBATIM:
            self._verbatim -= 1
        else:
            self._end_table(tag, node)
        if not self._counters and not self._quotes:
            self._close_lines()

    def done(self) -> list[Block]:
        self._flush()
        self._close_lines()
        return self._blocks

    def _begin_list(self, tag: str, node: LexborNode) -> None:
        if tag == "ol":
            self._counters.append(_number(node, "start", 1))
        elif tag in _LISTS:
            self._counters.append(None)
        elif self._counters and (number := self._counters[-1]) is not None:
            number = _number(node, "value", number)
            self._counters[-1] = number + 1
            self._bullet = f"{number}. "
        else:
            self._bullet = "- "

    def _begin_table(self, tag: str, node: LexborNode) -> None:
        if tag == "table" and node.mem_id in self._data:
            self._table = Table()
        elif self._table and tag == "tr":
            self._table.begin_row()
        elif self._table and tag in _CELLS:
            self._cell = []

    def _end_table(self, tag: str, node: LexborNode) -> None:
        if self._table is None:
            return
        if tag == "table":
            self._close_lines()
            self._blocks += self._table.blocks()
            self.tables += 1
            self._table = None
        elif tag in _CELLS and self._cell is not None:
            self._table.add(" ".join(self._cell), _number(node, "colspan", 1), _number(node, "rowspan", 1))
            self._cell = None
        elif tag == "thead":
            self._table.end_header()
        elif tag == "tr" and _is_row_of_names(node):
            self._table.end_header_row()

    def _add(self, text: str) -> None:
        self._text.append(text if self._verbatim else _SPACES.sub(" ", text))

    def _flush(self, level: int = 0) -> None:
        """End the paragraph that is open: a heading of this level, a cell, a line of a list, or a block of its own."""
        text = "".join(self._text)
        self._text.clear()
        if not text or text.isspace():
            return
        text = _UNSEEN_CHARACTERS.sub("", text)
        if not self._verbatim:
            text = _SPACE_RUNS.sub(" ", _AROUND_BREAKS.sub("\n", text)).strip()
        text = clean(text)
        if not text.strip():
            return
        if self._cell is not None:
            self._cell.append(" ".join(text.split("\n")))
        elif level:
            self._close_lines()
            self._blocks.append(Block(" ".join(text.split("\n")), level=level))
        elif self._counters or self._quotes or self._bullet:
            self._lines += self._marked(text)
        else:
            self._close_lines()
            self._blocks.append(Block(text))

    def _marked(self, text: str) -> Iterator[str]:
        """Yield the lines of a list item or a quotation with the marks of both."""
        quote = "> " * min(self._quotes, DEEPEST)
        indent = "  " * min(max(len(self._counters) - 1, 0), DEEPEST)
        for line in text.split("\n"):
            yield f"{quote}{indent}{self._bullet}{line}"
            self._bullet = "  " if self._bullet.strip() else self._bullet

    def _close_lines(self) -> None:
        if self._lines:
            self._blocks.append(Block("\n".join(self._lines)))
            self._lines = []


def _typed(node: LexborNode) -> str:
    """Return what a person has put into a field of a form."""
    attributes = node.attributes
    kind = (attributes.get("type") or "").lower()
    if kind in {"checkbox", "radio"}:
        return "[x] " if "checked" in attributes else "[ ] "
    return f" {attributes.get('value') or ''} " if kind in _TYPED else ""


def _is_row_of_names(row: LexborNode) -> bool:
    cells = [cell.tag for cell in row.iter()]
    return bool(cells) and all(tag == "th" for tag in cells)


def _number(node: LexborNode, name: str, default: int) -> int:
    """Return the number that an attribute holds, within what a table or list can make of it."""
    text = (node.attributes.get(name) or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default
