"""What texts and sheets of OpenDocument have in common: opening them, and the text of their paragraphs."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Context, ExtractionError, clean
from projects.intake.extract.opendocument_password import locks, unlocked
from projects.intake.extract.packed import refuse_declarations, unpacking

CONTENT = "content.xml"

_SPACES = {
    "office": "urn:oasis:names:tc:opendocument:xmlns:office:1.0",
    "text": "urn:oasis:names:tc:opendocument:xmlns:text:1.0",
    "table": "urn:oasis:names:tc:opendocument:xmlns:table:1.0",
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "style": "urn:oasis:names:tc:opendocument:xmlns:style:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
}

DAMAGED = "The OpenDocument file is damaged: it does not open. Save it anew and add it again."


def name(short: str) -> str:
    """Return the full name of an element or attribute: `text:p`."""
    prefix, _, local = short.partition(":")
    return f"{{{_SPACES[prefix]}}}{local}"


_TEXT_SIGNS = {name("text:tab"): "\t", name("text:line-break"): "\n"}
_SPACE, _SPACE_COUNT = name("text:s"), name("text:c")
MOST_SPACES = 1_000
# What stands within a paragraph and is no part of its text: it has a place of its own, or is left out.
APART = frozenset(
    map(name, ("office:annotation", "text:note", "draw:text-box", "svg:title", "svg:desc", "text:ruby-text"))
)


@contextmanager
def opened(path: Path, context: Context) -> Iterator[zipfile.ZipFile]:
    """Open an OpenDocument file, a locked one with its password; ExtractionError for damage wherever that is met."""
    try:
        with ExitStack() as stack:
            archive = stack.enter_context(unpacking(path))
            locked = locks(archive)
            if locked:
                archive = stack.enter_context(unpacking(stack.enter_context(unlocked(path, context, locked))))
            refuse_declarations(archive)
            yield archive
    except (SyntaxError, KeyError, ValueError) as error:
        raise ExtractionError(DAMAGED) from error


def paragraph_text(element: Any) -> str:
    """Return the text of a paragraph, without notes, comments and text boxes that are anchored in it."""
    return clean("".join(_runs(element)))


def _runs(element: Any) -> Iterator[str]:
    yield element.text or ""
    for child in element.iterchildren():
        if child.tag == _SPACE:
            yield " " * min(int(child.get(_SPACE_COUNT, 1)), MOST_SPACES)
        elif child.tag in _TEXT_SIGNS:
            yield _TEXT_SIGNS[child.tag]
        elif isinstance(child.tag, str) and child.tag not in APART:
            yield from _runs(child)
        yield child.tail or ""
