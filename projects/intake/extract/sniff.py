"""Finding a file's true type from its content; its name only tells apart kinds of plain text."""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Sequence
from pathlib import Path
from zipfile import ZipFile

from projects.intake.extract.base import ExtractionError
from projects.intake.extract.decoding import decode, decode_beginning, looks_like_text
from projects.intake.extract.delimiters import find_delimiter
from projects.intake.extract.packed import BROKEN, DAMAGED, entries
from projects.intake.extract.signatures import unreadable_kind

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
LOCKED = "application/x-locked-office"
"""A document, sheet or presentation within Microsoft's old container, locked; which of them shows when it is opened."""

READABLE = (
    "Readahead reads PDF, Word, Excel, PowerPoint, OpenDocument text and sheets, RTF, EPUB, HTML, mails (.eml, .msg), "
    "CSV, JSON, Markdown, plain text, and pictures of text (PNG, JPEG, TIFF)."
)

HEAD = 64 * 1024
MAX_PARSED = 16 * 1024 * 1024
"""Bytes of a file that is parsed to find out whether it is JSON, when its name does not say so."""
MAIL_LINES = 50
"""Of a header that are looked at; those of many relays are longer than what is at hand."""

_BLANKS = b"\0 \t\r\n\f\xef\xbb\xbf\xff\xfe"
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP = (b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")
_STARTS = (
    (re.compile(rb"\s*\{\\rtf\d?(?![^\\\s{}])"), RTF),
    (re.compile(rb"\x89PNG\r\n\x1a\n"), PNG),
    (re.compile(rb"\xff\xd8\xff"), JPEG),
    (re.compile(rb"II[*+]\x00|MM\x00[*+]"), TIFF),
)
_ZIP_MEMBERS = (
    (re.compile(r"word/document\d*\.xml"), DOCX),
    (re.compile(r"ppt/presentation\d*\.xml"), PPTX),
    (re.compile(r"xl/workbook\d*\.xml"), XLSX),
    (re.compile(r"META-INF/container\.xml"), EPUB),
)
_ZIP_MIMETYPES = (
    ("application/vnd.oasis.opendocument.text", ODT),
    ("application/vnd.oasis.opendocument.spreadsheet", ODS),
    ("application/epub+zip", EPUB),
)
_ODF_BODY = ((b"<office:text", ODT), (b"<office:spreadsheet", ODS))
_UNREADABLE_ZIPS = (
    (re.compile(r"xl/workbook\.bin"), "a binary Excel workbook (.xlsb). Save it as .xlsx and add it again"),
    (re.compile(r"visio/document\.xml"), "a Visio drawing. Save it as PDF and add it again"),
    (re.compile(r"content\.xml"), "an OpenDocument presentation or drawing. Save it as PDF and add it again"),
    (re.compile(r"(?:.*/)?Index/Document\.iwa|Index\.zip"), "an Apple iWork document. Save it as PDF and add it again"),
    (re.compile(r"AndroidManifest\.xml|META-INF/MANIFEST\.MF"), "a program"),
    (re.compile(r""), "a ZIP archive. Unpack it and add its files"),
)
_OLE_STREAMS = (
    ("__properties_version1.0", MSG),
    ("WordDocument", DOC),
    ("Workbook", XLS),
    ("Book", XLS),
    ("PowerPoint Document", PPT),
)
_UNREADABLE_OLE = (
    ("VisioDocument", "a Visio drawing. Save it as PDF and add it again"),
    ("Quill", "a Publisher document. Save it as PDF and add it again"),
    ("HwpSummaryInformation", "a Hangul document. Save it as PDF or .docx and add it again"),
    ("MatOST", "a Works document. Save it as PDF or .docx and add it again"),
)
_HTML_START = re.compile(
    r"\s*(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b[^>]*>\s*(<?)",
    re.IGNORECASE | re.DOTALL,
)
_HEADER_LINE = re.compile(r"([!-9;-~]+):(?:[ \t]|$)|[ \t]|>?From ")
_STRONG_HEADERS = frozenset({"message-id", "mime-version", "received", "return-path", "delivered-to", "x-mailer"})
_MAIL_HEADERS = _STRONG_HEADERS | {"from", "to", "subject", "date", "content-type", "sender", "cc", "reply-to"}
_ENDINGS = {
    **dict.fromkeys((".md", ".markdown", ".mkd", ".mdown"), MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".xht"), HTML),
    **dict.fromkeys((".eml", ".mht", ".mhtml", ".mbox", ".emlx"), EML),
    **dict.fromkeys((".json", ".jsonl", ".ndjson", ".geojson"), JSON),
    **dict.fromkeys((".csv", ".tsv", ".tab"), CSV),
}


def true_type(path: Path, name: str) -> str:
    """Return the media type of a file that can be read; raises ExtractionError naming what it is otherwise."""
    with path.open("rb") as file:
        head = file.read(HEAD)
    if not head.strip(_BLANKS) and _is_blank(path):
        raise ExtractionError("The file is empty.")
    if _is_pdf(head):
        return PDF
    if head.startswith(_ZIP):
        return _zipped(path)
    if head.startswith(_OLE):
        return _ole(path)
    for start, media_type in _STARTS:
        if start.match(head):
            return media_type
    is_text = looks_like_text(head)
    if kind := unreadable_kind(head, is_text):
        raise _unreadable(kind)
    if not is_text:
        raise ExtractionError(f"Unknown file type: neither a document nor text. {READABLE}")
    return _text(path, head, Path(name).suffix.lower())


def _is_blank(path: Path) -> bool:
    """Tell a file of white space alone; zeros are blank in UTF-16, and in a large file data of another kind."""
    blanks = _BLANKS if path.stat().st_size <= HEAD else _BLANKS.replace(b"\0", b"")
    with path.open("rb") as file:
        return all(not piece.strip(blanks) for piece in iter(lambda: file.read(HEAD), b""))


def _unreadable(kind: str) -> ExtractionError:
    return ExtractionError(f"This is {kind}. {READABLE}")


def _is_pdf(head: bytes) -> bool:
    """Tell a PDF, which may have other bytes before its header, from a text that speaks of one."""
    return head.startswith(b"%PDF-") or (b"%PDF-" in head[:1024] and b" obj" in head)


def _text(path: Path, head: bytes, ending: str) -> str:
    """Tell kinds of text apart: what the content cannot be mistaken for counts first, then the name's ending."""
    said = _ENDINGS.get(ending, PLAIN)
    text = decode_beginning(head).lstrip("\ufeff")
    if said == HTML or _is_html(text):
        return HTML
    if _is_mail(text, said == EML):
        return EML
    if said == JSON or (said == PLAIN and _is_json(path, text)):
        return JSON
    if said == CSV and find_delimiter(text):
        return CSV
    return MARKDOWN if said == MARKDOWN else PLAIN


def _is_html(text: str) -> bool:
    """Tell a page, where tag follows tag, from a text that begins with a tag because it speaks of tags."""
    start = _HTML_START.match(text)
    return start is not None and bool(start.group(1) or text.rstrip().lower().endswith(("</html>", "</body>")))


def _is_mail(text: str, said: bool) -> bool:
    """Tell a mail by its header: every line of it is one, and several are those that mail programs write."""
    lines = text.lstrip().replace("\r\n", "\n").split("\n\n", 1)[0].split("\n")[:MAIL_LINES]
    if said and lines[0].strip().isdigit():  # .emlx: the mail's length stands above it
        del lines[0]
    found = [_HEADER_LINE.match(line) for line in lines]
    names = {(match.group(1) or "").lower() for match in found if match}
    if not lines or not all(found):
        return False
    return bool(names & _MAIL_HEADERS) if said else len(names & _MAIL_HEADERS) >= 3 and bool(names & _STRONG_HEADERS)


def _is_json(path: Path, text: str) -> bool:
    """Tell JSON, or lines of JSON, whose name does not say so, by parsing it; a list of figures alone is text."""
    if text.lstrip()[:1] not in {"{", "["} or path.stat().st_size > MAX_PARSED:
        return False
    whole = decode(path.read_bytes()).text
    try:
        value = json.loads(whole)
    except (ValueError, RecursionError):
        return _is_json_lines(whole)
    return isinstance(value, dict) or any(isinstance(item, dict) for item in value)


def _is_json_lines(text: str) -> bool:
    lines = [line for line in text.split("\n") if line.strip()]
    try:
        return len(lines) > 1 and all(isinstance(json.loads(line), dict) for line in lines)
    except (ValueError, RecursionError):
        return False


def _zipped(path: Path) -> str:
    try:
        with ZipFile(path) as archive:
            names = archive.namelist()
            media_type = _zip_type(archive, names)
    except BROKEN as error:
        raise ExtractionError(DAMAGED) from error
    if media_type:
        entries(path)  # refuses a bomb; of what is not read at all, the kind is the better reason
        return media_type
    raise _unreadable(next(kind for pattern, kind in _UNREADABLE_ZIPS if any(map(pattern.match, [*names, ""]))))


def _zip_type(archive: ZipFile, names: Sequence[str]) -> str:
    """Return the type of a packed document; empty if it is none that can be read."""
    for pattern, media_type in _ZIP_MEMBERS:
        if any(map(pattern.fullmatch, names)):
            return media_type
    if "mimetype" in names:
        declared = _first_bytes(archive, "mimetype").decode("ascii", "replace").strip()
        return next((kind for start, kind in _ZIP_MIMETYPES if declared.startswith(start)), "")
    if "content.xml" in names:
        body = _first_bytes(archive, "content.xml")
        return next((kind for start, kind in _ODF_BODY if start in body), "")
    return ""


def _first_bytes(archive: ZipFile, name: str) -> bytes:
    with archive.open(name) as member:
        return member.read(HEAD)


def _ole(path: Path) -> str:
    """Return the type of a file in Microsoft's old container, told by the names in its directory."""
    import olefile

    try:
        with olefile.OleFileIO(str(path)) as container:
            names = {entry[0].lstrip("\x05") for entry in container.listdir(streams=True, storages=True)}
    # olefile raises its own errors, which are OSErrors, and whatever a broken directory leads to.
    except (OSError, ValueError, IndexError, struct.error) as error:
        raise ExtractionError("The file is damaged or incomplete: its container does not open.") from error
    for stream, media_type in _OLE_STREAMS:
        if stream in names:
            return media_type
    if "EncryptedPackage" in names:
        return LOCKED
    kind = next((kind for stream, kind in _UNREADABLE_OLE if stream in names), "a file in an old format of Office")
    raise _unreadable(kind)
