"""What every reader of a file format returns and raises."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

# NUL is refused by databases; the rest of the control characters are leftovers of layout. Form feeds are page breaks in
# the text that is put together later, so they must not come from inside a block. Surrogates cannot be stored as UTF-8.
_UNSTORABLE = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f\ufffe\uffff\ud800-\udfff]")
_LINE_ENDS = re.compile("\r\n|[\r\f\x85\u2028\u2029]")


@dataclass(frozen=True)
class Block:
    """A paragraph, a table or a heading: `level` 0 is text, 1 the outermost heading. Pages count from 1."""

    text: str
    page: int | None = None
    level: int = 0


@dataclass(frozen=True)
class Report:
    """What reading a file found and missed, for the person who has to trust it.

    `ocr` and `unreadable` are page numbers; `replaced` counts characters lost to a broken encoding; `left_out` names in
    sentences what is in the file and not in its text by design (pictures, macros, deleted text), which is no warning.
    """

    ocr: tuple[int, ...] = ()
    unreadable: tuple[int, ...] = ()
    replaced: int = 0
    tables: int = 0
    left_out: tuple[str, ...] = ()


@dataclass(frozen=True)
class Attachment:
    """A file within a file that becomes a document of its own; `path` is below the context's folder."""

    name: str
    path: Path


@dataclass(frozen=True)
class Extraction:
    """A document as text, in reading order. `warnings` say in sentences what could not be read.

    Pages are what a person turns: sheets of a workbook and slides of a presentation too.
    """

    media_type: str
    blocks: tuple[Block, ...]
    pages: int | None = None
    warnings: tuple[str, ...] = ()
    report: Report = field(default_factory=Report)
    attachments: tuple[Attachment, ...] = ()


def _unheard(done: int, total: int) -> None:
    """Take a report of progress when nobody listens."""


@dataclass(frozen=True)
class Context:
    """What a reader is given besides the file.

    `name` is what the person calls the file; `password` opens it if it is locked, empty when none was given;
    `progress(done, total)` is to be called after each page or other unit that takes time; `folder` is an empty folder
    for attachments, None where they are not wanted; `kept` a folder whose content is there again when the reading of
    this file is taken up after it was cut off, None where nothing is kept.
    """

    name: str = ""
    password: str = ""
    progress: Callable[[int, int], None] = _unheard
    folder: Path | None = None
    kept: Path | None = None


class ExtractionError(Exception):
    """The file cannot be read; `message` names the cause and what to do, for a person."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


class PasswordNeeded(ExtractionError):
    """The file is encrypted and opens only with a password."""


class Extractor(Protocol):
    """Reads one kind of file; raises ExtractionError for one that is damaged, empty or locked."""

    def __call__(self, path: Path, context: Context) -> Extraction: ...


def clean(text: str) -> str:
    """Return text that can be stored and compared: composed letters, plain line ends, no control characters.

    White space at the ends of lines goes too.
    """
    composed = unicodedata.normalize("NFC", text)
    lines = _UNSTORABLE.sub("", _LINE_ENDS.sub("\n", composed)).split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n")
