"""Reads electronic books (.epub): the chapters in their order."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from projects.intake.extract.base import Block, Context, Extraction, ExtractionError, Report
from projects.intake.extract.html_blocks import decode_markup, read_page
from projects.intake.extract.ooxml import counted
from projects.intake.extract.packed import unpacking, xml_root
from projects.intake.extract.sniff import EPUB

DAMAGED = "The EPUB book is damaged: its list of chapters cannot be read."
LOCKED = "The EPUB book is protected against copying (DRM), so its text cannot be read."

_CONTAINER, _ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"
_SELF_CLOSED = re.compile(r"<([A-Za-z][\w:.-]*)((?:\s[^<>]*?)?)/>")
_EMPTY = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"}
)
_PAGES = {"application/xhtml+xml", "text/html", "text/x-oeb1-document"}
# Fonts may be locked in a book that is open to be read: this is no protection.
_OF_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")


@dataclass(frozen=True)
class _Book:
    """The parts with the chapters in reading order; `missing` are listed and not in the file."""

    chapters: list[str]
    missing: int


def extract(path: Path, context: Context) -> Extraction:
    """Read the chapters of a book; pages differ from device to device, so it has none."""
    with unpacking(path) as archive:
        try:
            book = _book(archive)
            _refuse_locked(archive)
        except (SyntaxError, KeyError, ValueError) as error:
            raise ExtractionError(DAMAGED) from error
        blocks: list[Block] = []
        tables = pictures = 0
        for done, chapter in enumerate(book.chapters, start=1):
            page = read_page(_as_html(decode_markup(archive.read(chapter)).text))
            blocks += page.blocks
            tables += page.tables
            pictures += page.pictures
            context.progress(done, len(book.chapters))
    missing = (counted(pictures, "picture", "left out"),) if pictures else ()
    return Extraction(EPUB, tuple(blocks), None, _warnings(book.missing), Report(tables=tables, left_out=missing))


def _as_html(markup: str) -> str:
    """Return XHTML as browsers read HTML: to them, a <title/> is not closed, and all that follows is title."""
    return _SELF_CLOSED.sub(lambda tag: tag.group() if tag.group(1).lower() in _EMPTY else _closed(tag), markup)


def _closed(tag: re.Match[str]) -> str:
    return f"<{tag.group(1)}{tag.group(2)}></{tag.group(1)}>"


def _book(archive: zipfile.ZipFile) -> _Book:
    package_name = next(_local(xml_root(archive, _CONTAINER), "rootfile")).get("full-path")
    package = xml_root(archive, package_name)
    folder = posixpath.dirname(package_name)
    items = {item.get("id"): item for item in _local(package, "item")}
    names = set(archive.namelist())
    chapters: list[str] = []
    missing = 0
    for reference in _local(package, "itemref"):
        item = items.get(reference.get("idref"))
        if item is None or item.get("media-type") not in _PAGES or "nav" in item.get("properties", "").split():
            missing += item is None
            continue
        name = posixpath.normpath(posixpath.join(folder, unquote(item.get("href", ""))))
        if name in names:
            chapters.append(name)
        else:
            missing += 1
    return _Book(chapters, missing)


def _refuse_locked(archive: zipfile.ZipFile) -> None:
    if _ENCRYPTION not in archive.namelist():
        return
    methods = [method.get("Algorithm", "") for method in _local(xml_root(archive, _ENCRYPTION), "EncryptionMethod")]
    if any(not method.startswith(_OF_FONTS) for method in methods):
        raise ExtractionError(LOCKED)


def _local(root: Any, name: str) -> Iterator[Any]:
    """Yield elements by their name alone: books differ in how they declare namespaces."""
    return root.iter(f"{{*}}{name}", name)  # type: ignore[no-any-return]


def _warnings(missing: int) -> tuple[str, ...]:
    if not missing:
        return ()
    return ("1 chapter is missing in the file." if missing == 1 else f"{missing} chapters are missing in the file.",)
