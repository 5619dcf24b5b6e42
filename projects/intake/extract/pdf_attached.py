"""Files within a PDF, which become documents of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Attachment
from projects.intake.extract.saving import save_attachment
from projects.intake.names import clean_name

MOST_FILES = 500
MOST_BYTES = 1024 * 1024 * 1024
"""Of all files in one PDF together: packed ones may unfold to anything."""
INVOICE_DATA = frozenset({"factur-x.xml", "zugferd-invoice.xml", "xrechnung.xml", "order-x.xml"})
"""What the page says already, written for programs, under the names that electronic invoices must use."""


@dataclass(frozen=True)
class Attached:
    """The files that were taken out, and sentences about those that were not."""

    files: tuple[Attachment, ...] = ()
    left_out: tuple[str, ...] = ()


def attached_to(document: Any, folder: Path | None) -> Attached:
    """Write the files within a PDF into `folder` under numbers; without a folder they are only named."""
    named = list(_named(document))
    data = [name for name, _ in named if name in INVOICE_DATA]
    others = [(name, file) for name, file in named if name not in INVOICE_DATA]
    taken = tuple(_taken(others[:MOST_FILES], folder)) if folder else ()
    kept = {attachment.name for attachment in taken}
    missing = [name for name, _ in others if name not in kept]
    sentences = []
    if data:
        sentences.append(f"The invoice as data for programs ({', '.join(data)}).")
    if missing:
        sentences.append(f"Files attached to the PDF: {', '.join(missing)}.")
    return Attached(taken, tuple(sentences))


def _named(document: Any) -> Iterator[tuple[str, Any]]:
    """Yield each file within a PDF under a name of its own."""
    import pypdfium2

    names: set[str] = set()
    for index in range(document.count_attachments()):
        try:
            file = document.get_attachment(index)
            name = clean_name(file.get_name())
        except pypdfium2.PdfiumError:
            continue
        if not name or name in names:
            name = f"{index + 1} {name}".strip()
        names.add(name)
        yield name, file


def _taken(files: list[tuple[str, Any]], folder: Path) -> Iterator[Attachment]:
    import pypdfium2

    room = MOST_BYTES
    for number, (name, file) in enumerate(files, start=1):
        try:
            content = file.get_data()
        except pypdfium2.PdfiumError:
            continue
        room -= len(content)
        if room < 0:
            return
        yield save_attachment(folder, number, name, content)
