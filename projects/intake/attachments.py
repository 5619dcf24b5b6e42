"""Adds the files that came within a file as documents of their own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from projects.intake.extract import Attachment
from projects.intake.service import IntakeError, add_file
from projects.models import Document

MOST_LEVELS = 5
"""A message in a message in a message …: files deeper than that are named, not added."""
MOST_FILES = 200
MOST_NAMED = 5
BLOCK = 1024 * 1024


def add_attachments(
    document: Document, attachments: Sequence[Attachment], folder: Path, wanted: Callable[[], bool]
) -> list[str]:
    """Add what was found in a document, whose parent it becomes; return warnings about what was not added.

    Safe to repeat: content that is there already is not added again. Stops early when `wanted` says no.
    """
    if attachments and depth(document) >= MOST_LEVELS:
        return [f"Files within files are read {MOST_LEVELS} levels deep. Not added: {_names(attachments)}."]
    warnings = []
    for attachment in attachments[:MOST_FILES]:
        if not wanted():
            break
        try:
            _add(document, attachment, folder)
        except IntakeError as error:
            warnings.append(f"The attachment {attachment.name} was not added: {error.message}")
    if beyond := attachments[MOST_FILES:]:
        warnings.append(f"The first {MOST_FILES} attachments were added. Not added: {_names(beyond)}.")
    return warnings


def depth(document: Document) -> int:
    """Return within how many files a document came; 0 for one that a person added."""
    levels, parent = 0, document.parent
    while parent is not None and levels < MOST_LEVELS:
        levels, parent = levels + 1, parent.parent
    return levels


def _add(document: Document, attachment: Attachment, folder: Path) -> None:
    """Add one file; what does not lie in the folder did not come from the document."""
    path = attachment.path.resolve()
    if not path.is_relative_to(folder.resolve()) or not path.is_file():
        raise IntakeError("it could not be unpacked.")
    with path.open("rb") as file:
        add_file(document.project, attachment.name, iter(lambda: file.read(BLOCK), b""), parent=document)


def _names(attachments: Sequence[Attachment]) -> str:
    named = ", ".join(attachment.name for attachment in attachments[:MOST_NAMED])
    more = len(attachments) - MOST_NAMED
    return f"{named} and {more:,} more" if more > 0 else named
