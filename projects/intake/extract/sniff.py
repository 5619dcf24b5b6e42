"""Finding a file's true type from its content; its name only tells apart kinds of plain text."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path

from projects.intake.extract.base import ExtractionError, PasswordNeeded
from projects.intake.extract.decoding import looks_like_text

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
XLS = "application/vnd.ms-excel"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
RTF = "application/rtf"
DOC = "application/msword"
PPT = "application/vnd.ms-powerpoint"
EPUB = "application/epub+zip"
HTML = "text/html"
EML = "message/rfc822"
MSG = "application/vnd.ms-outlook"
CSV = "text/csv"
JSON = "application/json"
MARKDOWN = "text/markdown"
PLAIN = "text/plain"
PNG = "image/png"
JPEG = "image/jpeg"
TIFF = "image/tiff"

READABLE = "Readahead reads PDF, Word (.docx), Markdown and plain text."

HEAD = 64 * 1024
MAX_UNPACKED = 512 * 1024 * 1024
"""Bytes that a packed office file may unfold to; a picture-laden report stays below, a zip bomb does not."""

_SIGNATURES = (
    (b"{\\rtf", "an RTF document"),
    (b"\x89PNG", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf", "a 7-Zip archive"),
    (b"Rar!\x1a\x07", "a RAR archive"),
    (b"ID3\x02", "a sound file"),
    (b"ID3\x03", "a sound file"),
    (b"ID3\x04", "a sound file"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3\x00", "an SQLite database"),
)
# Made of letters alone, which a text may begin with too.
_SIGNATURES_OF_BINARY = (
    (b"GIF87a", "a GIF picture"),
    (b"GIF89a", "a GIF picture"),
    (b"MZ", "a program"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_KINDS = (
    ("WordDocument", "a Word document in the old .doc format. Save it as .docx and add it again."),
    ("Workbook", "an Excel sheet in the old .xls format."),
    ("Book", "an Excel sheet in the old .xls format."),
    ("PowerPoint Document", "a PowerPoint file in the old .ppt format."),
    ("__properties_version1.0", "an Outlook message."),
)
_ZIP_KINDS = (
    ("xl/workbook.xml", "an Excel sheet"),
    ("ppt/presentation.xml", "a PowerPoint presentation"),
    ("META-INF/container.xml", "an EPUB book"),
    ("content.xml", "an OpenDocument file"),
)
_HTML = re.compile(rb"\s*(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL)
_MARKDOWN_ENDINGS = {".md", ".markdown", ".mkd", ".mdown"}


def true_type(path: Path, name: str) -> str:
    """Return the media type of a file that can be read; raises ExtractionError naming what it is otherwise."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head.strip(b"\0 \t\r\n\f\xef\xbb\xbf\xff\xfe"):
        raise ExtractionError("The file is empty." if path.stat().st_size <= HEAD else f"Unknown file type. {READABLE}")
    if _is_pdf(head):
        return PDF
    if head.startswith(b"PK\x03\x04"):
        return _zipped(path)
    if head.startswith(_OLE):
        raise _ole(path)
    _refuse(head, _SIGNATURES)
    return _text(head, name)


def _is_pdf(head: bytes) -> bool:
    """Tell a PDF, which may have other bytes before its header, from a text that speaks of one."""
    return head.startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and b" obj" in head)


def _refuse(head: bytes, signatures: tuple[tuple[bytes, str], ...]) -> None:
    for signature, kind in signatures:
        if head.startswith(signature):
            raise ExtractionError(f"This is {kind}. {READABLE}")


def _text(head: bytes, name: str) -> str:
    if not looks_like_text(head):
        _refuse(head, _SIGNATURES_OF_BINARY)
        raise ExtractionError(f"Unknown file type: neither a document nor text. {READABLE}")
    if _HTML.match(head):
        raise ExtractionError(f"This is an HTML page. {READABLE}")
    return MARKDOWN if Path(name).suffix.lower() in _MARKDOWN_ENDINGS else PLAIN


def _zipped(path: Path) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {entry.filename: entry.file_size for entry in archive.infolist()}
    except (zipfile.BadZipFile, OSError, zlib.error) as error:
        raise ExtractionError("The file is damaged or incomplete: it is a packed file that does not open.") from error
    if "word/document.xml" in entries:
        _refuse_bomb(sum(entries.values()))
        return DOCX
    for member, kind in _ZIP_KINDS:
        if member in entries:
            raise ExtractionError(f"This is {kind}. {READABLE}")
    raise ExtractionError(f"This is a ZIP archive. Unpack it and add its files. {READABLE}")


def _refuse_bomb(unpacked: int) -> None:
    if unpacked > MAX_UNPACKED:
        megabytes = unpacked // (1024 * 1024)
        raise ExtractionError(f"The file unpacks to {megabytes:,} MB, more than any document holds; it was not opened.")


def _ole(path: Path) -> ExtractionError:
    """Name a file in Microsoft's old container; entries of its directory are UTF-16."""
    content = path.read_bytes()
    if "EncryptedPackage".encode("utf-16-le") in content:
        return PasswordNeeded("The document is protected by a password. Save it without one and add it again.")
    for entry, kind in _OLE_KINDS:
        if entry.encode("utf-16-le") in content:
            return ExtractionError(f"This is {kind} {READABLE}")
    return ExtractionError(f"This is an office file in an old format. {READABLE}")
