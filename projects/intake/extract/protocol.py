"""What the process that opens a file and the one that waits for it say to each other, as lines of JSON.

One request goes in by standard input; any number of Progress lines and then one Reply come out by standard output.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, TypedDict

from projects.intake.extract.base import Attachment, Block, Extraction, Report


class Request(TypedDict):
    """What to read; `memory` in bytes of address space, `seconds` of processor time, `file_size` in bytes.

    `folder` is where attachments go, `kept` where pages are kept; both empty where they are not wanted.
    """

    path: str
    name: str
    password: str
    folder: str
    kept: str
    memory: int
    seconds: int
    file_size: int


class Progress(TypedDict):
    """Units done of units in all; a total of 0 is not known."""

    progress: tuple[int, int]


class Found(TypedDict):
    """An Extraction; each block is (text, page, level), each attachment (name, path)."""

    media_type: str
    blocks: list[tuple[str, int | None, int]]
    pages: int | None
    warnings: list[str]
    report: dict[str, Any]
    attachments: list[tuple[str, str]]


class Reply(TypedDict, total=False):
    """Exactly one of: what was found, why the file cannot be read (`locked`: for want of a password), want of memory.

    `fault` is where a reader went wrong: the kind of error and its frames, not its message, which may hold words of
    the document.
    """

    found: Found
    refused: str
    locked: str
    memory: bool
    fault: str


def as_found(extraction: Extraction) -> Found:
    """Return an extraction as plain values."""
    return {
        "media_type": extraction.media_type,
        "blocks": [(block.text, block.page, block.level) for block in extraction.blocks],
        "pages": extraction.pages,
        "warnings": list(extraction.warnings),
        "report": asdict(extraction.report),
        "attachments": [(attachment.name, str(attachment.path)) for attachment in extraction.attachments],
    }


def as_extraction(found: Found) -> Extraction:
    """Return what `as_found` was given, after its way through JSON."""
    report = found["report"]
    return Extraction(
        media_type=found["media_type"],
        blocks=tuple(Block(text, page, level) for text, page, level in found["blocks"]),
        pages=found["pages"],
        warnings=tuple(found["warnings"]),
        report=Report(
            ocr=tuple(report["ocr"]),
            unreadable=tuple(report["unreadable"]),
            replaced=report["replaced"],
            tables=report["tables"],
            left_out=tuple(report["left_out"]),
        ),
        attachments=tuple(Attachment(name, Path(path)) for name, path in found["attachments"]),
    )
