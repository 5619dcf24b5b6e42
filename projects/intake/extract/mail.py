"""Makes a document of a mail, whatever program kept it: its header, its text, and the files that came with it."""

from __future__ import annotations

import mimetypes
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from projects.blank import is_blank
from projects.intake.extract.base import Attachment, Block, Context, Extraction, Report, clean
from projects.intake.extract.html_blocks import read_page
from projects.intake.extract.plain import paragraphs
from projects.intake.extract.saving import save_attachment
from projects.intake.names import clean_name

DECORATION = 64 * 1024
"""Bytes; a picture that the text shows and that has fewer is a logo or a signature, a larger one may be the matter."""
STUB = 4
"""A plain text this many times shorter than the page beside it only says that there is a page."""

_CONTENT_ID = re.compile(r"cid:([^\"'\s)>]+)", re.IGNORECASE)


@dataclass(frozen=True)
class Body:
    """A piece of a mail's text, in one or two forms of the same."""

    plain: str = ""
    html: str = ""


@dataclass(frozen=True)
class File:
    """A file that came with a mail; `content_id` is what its text calls it by, if it shows it."""

    name: str
    content: bytes
    media_type: str = "application/octet-stream"
    content_id: str = ""


@dataclass(frozen=True)
class Letter:
    """A mail. `date` is what stands there where it cannot be understood; an empty string is a line that is missing."""

    sender: str = ""
    to: str = ""
    cc: str = ""
    bcc: str = ""
    date: datetime | str = ""
    subject: str = ""
    bodies: tuple[Body, ...] = ()
    files: tuple[File, ...] = ()
    left_out: tuple[str, ...] = ()
    replaced: int = 0


@dataclass
class _Found:
    """What a mail, or a box of them, comes to."""

    blocks: list[Block] = field(default_factory=list)
    files: list[File] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    tables: int = 0


def extraction_of(media_type: str, letters: Sequence[Letter], context: Context) -> Extraction:
    """Return one or several mails as a document; each of several is headed by its subject."""
    found = _Found()
    for number, letter in enumerate(letters, start=1):
        if len(letters) > 1:
            found.blocks.append(Block(_line(letter.subject) or f"Message {number}", level=1))
        _read(letter, found)
        context.progress(number, len(letters))
    replaced = sum(letter.replaced for letter in letters)
    report = Report(replaced=replaced, tables=found.tables, left_out=tuple(dict.fromkeys(found.left_out)))
    lost = "1 character" if replaced == 1 else f"{replaced:,} characters"
    warnings = (f"{lost} could not be read in the encoding that the mail declares.",) if replaced else ()
    attachments = tuple(_saved(found.files, context.folder)) if context.folder else ()
    return Extraction(media_type, tuple(found.blocks), warnings=warnings, report=report, attachments=attachments)


def _read(letter: Letter, found: _Found) -> None:
    files = [file for file in letter.files if not _is_decoration(file, letter.bodies)]
    found.files += files
    found.left_out += letter.left_out
    if decorations := len(letter.files) - len(files):
        shown = "1 small picture" if decorations == 1 else f"{decorations:,} small pictures"
        found.left_out.append(f"{shown} in the text of the mail (a logo or a signature).")
    found.blocks.append(Block(_header(letter, files)))
    for body in letter.bodies:
        blocks, tables = _text(body)
        found.blocks += blocks
        found.tables += tables


def _header(letter: Letter, files: Sequence[File]) -> str:
    date = letter.date.strftime("%Y-%m-%d %H:%M %z").strip() if isinstance(letter.date, datetime) else letter.date
    named = {
        "From": letter.sender,
        "To": letter.to,
        "Cc": letter.cc,
        "Bcc": letter.bcc,
        "Date": date,
        "Subject": letter.subject,
        "Attachments": ", ".join(file_name(file, number) for number, file in enumerate(files, start=1)),
    }
    return "\n".join(f"{name}: {shown}" for name, value in named.items() if (shown := _line(value)))


def _text(body: Body) -> tuple[list[Block], int]:
    """Return a body's blocks and how many tables they hold: its plain form unless that is a stub for the other."""
    plain = clean(body.plain)
    page = read_page(body.html) if body.html else None
    length = sum(len(block.text) for block in page.blocks) if page else 0
    if page and (is_blank(plain) or len(plain) * STUB < length):
        return list(page.blocks), page.tables
    return list(paragraphs(plain)), 0


def _is_decoration(file: File, bodies: Sequence[Body]) -> bool:
    if not file.content_id or not file.media_type.startswith("image/") or len(file.content) >= DECORATION:
        return False
    return any(file.content_id in _CONTENT_ID.findall(body.html) for body in bodies)


def file_name(file: File, number: int) -> str:
    """Return what an attachment is called: its own name made safe, or its number with the ending of its type."""
    return clean_name(file.name) or f"attachment-{number}{mimetypes.guess_extension(file.media_type) or ''}"


def _saved(files: Sequence[File], folder: Path) -> Iterator[Attachment]:
    """Write the files into the folder under numbers, whatever they are called."""
    for number, file in enumerate(files, start=1):
        yield save_attachment(folder, number, file_name(file, number), file.content)


def _line(text: str) -> str:
    return " ".join(clean(text).split())
