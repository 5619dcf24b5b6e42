"""Builds office files for tests: by the libraries that write them, or by hand from their parts."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Context, Extraction, Extractor


def packed(parts: Mapping[str, str | bytes]) -> bytes:
    """Return a ZIP archive of these parts."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def edited(archive: bytes, changes: Mapping[str, Callable[[bytes], bytes]]) -> bytes:
    """Return an archive with parts changed; one that is not there is added."""
    buffer = BytesIO()
    with zipfile.ZipFile(BytesIO(archive)) as old, zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as new:
        for name in dict.fromkeys([*old.namelist(), *changes]):
            content = old.read(name) if name in old.namelist() else b""
            new.writestr(name, changes[name](content) if name in changes else content)
    return buffer.getvalue()


def xlsx(build: Callable[[Any], object]) -> bytes:
    """Return a workbook that `build` filled: it is called with openpyxl's Workbook, which has one sheet."""
    import openpyxl

    workbook = openpyxl.Workbook()
    build(workbook)
    buffer = BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


def pptx(build: Callable[[Any], object]) -> bytes:
    """Return a presentation that `build` filled: it is called with python-pptx's Presentation."""
    from pptx import Presentation

    presentation = Presentation()
    build(presentation)
    buffer = BytesIO()
    presentation.save(buffer)
    return buffer.getvalue()


def xls(build: Callable[[Any], object]) -> bytes:
    """Return an old workbook that `build` filled: it is called with xlwt's Workbook, which has no sheet yet."""
    import xlwt

    workbook = xlwt.Workbook()
    build(workbook)
    buffer = BytesIO()
    workbook.save(buffer)
    return buffer.getvalue()


_NAMES = " ".join(
    f'xmlns:{prefix}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"'
    for prefix, name in {
        "office": "office",
        "text": "text",
        "table": "table",
        "draw": "drawing",
        "style": "style",
        "svg": "svg-compatible",
    }.items()
)


def opendocument(kind: str, body: str, styles: str = "", master: str = "") -> bytes:
    """Return an OpenDocument file; `kind` is text or spreadsheet, `master` the pages with headers and footers."""
    content = (
        f"<office:document-content {_NAMES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    pages = (
        f"<office:document-styles {_NAMES}><office:master-styles>{master}</office:master-styles>"
        "</office:document-styles>"
    )
    mimetype = f"application/vnd.oasis.opendocument.{kind}"
    return packed({"mimetype": mimetype, "content.xml": content, "styles.xml": pages})


def read(extract: Extractor, content: bytes, folder: Path, context: Context = Context()) -> Extraction:  # noqa: B008
    """Write a file and read it."""
    path = folder / "stored"
    path.write_bytes(content)
    return extract(path, context)


def texts(found: Extraction) -> list[str]:
    """Return the texts of all blocks that are no headings."""
    return [block.text for block in found.blocks if not block.level]
