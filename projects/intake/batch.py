"""Adding files and folders from disk, and telling what became of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from projects.intake.service import IntakeError, add_file
from projects.models import Document, Project

BLOCK = 1024 * 1024

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a link to a folder",  # a folder itself is walked
}


class DocumentReport(TypedDict):
    """One document as `ingest --json` prints it."""

    name: str
    state: str
    pages: int | None
    tokens: int | None
    warnings: list[str]
    error: str


@dataclass(frozen=True)
class Added:
    """What became of one path: a document, or the reason why the file was not taken."""

    name: str
    document_id: int | None
    error: str = ""


class Unreadable(Exception):
    """A path that was named does not exist or may not be read; the message is for a person."""


def files_in(paths: Iterable[str]) -> list[Path]:
    """Return the paths named and those in the folders named, in a stable order; hidden ones only if named themselves.

    What else than files is among them is for `add_files` to refuse. Raises Unreadable for a path that is not there.
    """
    found: list[Path] = []
    for given in paths:
        path = Path(given)
        if path.is_dir():
            found += _walk(path)
        elif path.exists():
            found.append(path)
        else:
            raise Unreadable(f"There is no file or folder {given}.")
    return list(dict.fromkeys(found))


def add_files(project: Project, files: Iterable[Path]) -> Iterator[Added]:
    """Add files one by one; one that is refused does not keep the others from being added."""
    for path in files:
        try:
            _refuse_other_than_file(path)
            with path.open("rb") as file:
                added = add_file(project, path.name, iter(lambda: file.read(BLOCK), b""))
        except IntakeError as error:
            yield Added(path.name, None, error.message)
        except OSError as error:
            yield Added(path.name, None, f"The file could not be read: {error.strerror}.")
        else:
            yield Added(added.name, added.document_id)


def _refuse_other_than_file(path: Path) -> None:
    """Raise IntakeError for a pipe or a device, whose reader may wait for ever, and for links that lead to no file."""
    try:
        kind = stat.S_IFMT(path.stat().st_mode)
    except FileNotFoundError:
        if path.is_symlink():
            raise IntakeError("This is a link to a file that is not there.") from None
        raise
    if kind != stat.S_IFREG:
        raise IntakeError(f"This is {_KINDS.get(kind, 'something else')}, not a file.")


def all_searchable(documents: Iterable[DocumentReport]) -> bool:
    """Tell whether every file was taken and read."""
    return all(document["state"] in Document.ANSWERABLE for document in documents)


def report(added: Sequence[Added]) -> list[DocumentReport]:
    """Return how each file stands now, in the order given; one that was refused counts as failed."""
    documents = Document.objects.in_bulk([item.document_id for item in added if item.document_id is not None])
    return [_report(item, documents.get(item.document_id or 0)) for item in added]


def _report(item: Added, document: Document | None) -> DocumentReport:
    if document is None:
        error = item.error or "The document was removed."
        return {
            "name": item.name, "state": Document.State.FAILED.value, "pages": None, "tokens": None,
            "warnings": [], "error": error,
        }  # fmt: skip
    return {
        "name": item.name,
        "state": document.state,
        "pages": document.pages,
        "tokens": document.tokens,
        "warnings": document.warnings,
        "error": document.error,
    }


def _walk(folder: Path) -> Iterator[Path]:
    for root, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        links = [name for name in folders if (Path(root) / name).is_symlink()]
        yield from (Path(root) / name for name in sorted(names + links) if not name.startswith("."))
