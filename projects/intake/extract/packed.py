"""Opening files that are ZIP archives without being blown up by them: by their size, or by entities of XML."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any
from xml.parsers import expat

from projects.intake.extract.base import ExtractionError

MAX_UNPACKED = 512 * 1024 * 1024
"""Bytes that a packed file may unfold to; a picture-laden report stays below, a zip bomb does not."""
MAX_ENTRIES = 100_000

DAMAGED = "The file is damaged or incomplete: it is a packed file that does not open."
_PROLOG = 64 * 1024

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError, RuntimeError)
"""What zipfile raises for archives that are cut off, of an unknown method, or locked."""


@contextmanager
def unpacking(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open an archive of bounded size; ExtractionError for a bomb, and for damage whenever it is met."""
    try:
        with zipfile.ZipFile(path) as archive:
            _refuse_bomb(archive)
            yield archive
    except BROKEN as error:
        raise ExtractionError(DAMAGED) from error


def entries(path: Path) -> frozenset[str]:
    """Return the names in an archive; ExtractionError if it is damaged or unfolds to more than any document holds."""
    with unpacking(path) as archive:
        return frozenset(archive.namelist())


def refuse_declarations(archive: zipfile.ZipFile) -> None:
    """Refuse an office file one of whose parts declares XML entities, before any library parses it.

    The standard of these formats forbids it, and no office program writes it: they serve to blow up memory or to fetch
    other files. Every part is looked at, since any name can be that of a part.
    """
    for entry in archive.infolist():
        with archive.open(entry) as part:
            if _has_doctype(part):
                raise ExtractionError(
                    "The file declares XML entities, as no office program does; it was not opened. "
                    "Save it anew in such a program and add it again."
                )


def xml_root(archive: zipfile.ZipFile, name: str) -> Any:
    """Return the root element of a part, entities not expanded; KeyError without it, SyntaxError if it is broken."""
    from lxml import etree

    with archive.open(name) as part:
        return etree.parse(part, _parser()).getroot()


def xml_ends(archive: zipfile.ZipFile, name: str, *tags: str) -> Iterator[Any]:
    """Yield the elements of a part with one of these tags as they end, and forget each when the next is asked for.

    Memory stays that of one element, however long the part is; elements within a yielded one are still there.
    """
    from lxml import etree

    with archive.open(name) as part:
        for _, element in etree.iterparse(part, tag=tags, resolve_entities=False, no_network=True, load_dtd=False):
            yield element
            element.clear()
            while element.getprevious() is not None:
                del element.getparent()[0]


def _parser() -> Any:
    from lxml import etree

    return etree.XMLParser(
        resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
    )


def _refuse_bomb(archive: zipfile.ZipFile) -> None:
    """Judge by the sizes in the directory, which bind: zipfile unpacks no byte of a member beyond them."""
    unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > MAX_UNPACKED:
        megabytes = unpacked // (1024 * 1024)
        raise ExtractionError(f"The file unpacks to {megabytes:,} MB, more than any document holds; it was not opened.")
    if len(archive.infolist()) > MAX_ENTRIES:
        raise ExtractionError(
            f"The file holds {len(archive.infolist()):,} packed files, more than any document; it was not opened."
        )


class _Seen(Exception):
    """Ends a parse at what decides it."""


def _has_doctype(part: IO[bytes]) -> bool:
    """Tell whether XML in any encoding declares a document type; that comes before the first element or never."""
    found = False

    def declared(*_: object) -> None:
        nonlocal found
        found = True
        raise _Seen

    def begun(*_: object) -> None:
        raise _Seen

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = declared
    parser.StartElementHandler = begun
    try:
        while data := part.read(_PROLOG):
            parser.Parse(data)
    except (_Seen, expat.ExpatError):
        pass
    return found
