"""Builds the files that tests upload, byte by byte where no library is needed."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import Any


def pdf(*pages: Sequence[str | tuple[str, int]], fields: Sequence[tuple[str, str]] = ()) -> bytes:
    """Return a PDF with a text layer: a list of lines for each page, plain or with a type size; no lines, no text.

    `fields` are (name, value) of filled text fields on the first page, which are no part of the page's own text.
    """
    font = 3
    objects: dict[int, str] = {font: "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
    page_numbers = [4 + 2 * index for index in range(len(pages))]
    field_numbers = [4 + 2 * len(pages) + index for index in range(len(fields))]
    for number, lines in zip(page_numbers, pages, strict=True):
        content = _page_content(lines)
        annotations = f"/Annots [{_references(field_numbers)}]" if number == page_numbers[0] and fields else ""
        objects[number] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {number + 1} 0 R {annotations}"
            f" /Resources << /Font << /F1 {font} 0 R >> >> >>"
        )
        objects[number + 1] = f"<< /Length {len(content)} >>\nstream\n{content}\nendstream"
    for number, (name, value) in zip(field_numbers, fields, strict=True):
        objects[number] = (
            f"<< /Type /Annot /Subtype /Widget /FT /Tx /T ({name}) /V ({value}) /Rect [0 0 9 9]"
            f" /P {page_numbers[0]} 0 R >>"
        )
    form = f"/AcroForm << /Fields [{_references(field_numbers)}] >>" if fields else ""
    objects[1] = f"<< /Type /Catalog /Pages 2 0 R {form} >>"
    objects[2] = f"<< /Type /Pages /Kids [{_references(page_numbers)}] /Count {len(pages)} >>"
    return _assembled(objects)


def docx(build: Any) -> bytes:
    """Return a Word document that `build` filled: it is called with python-docx's Document."""
    from docx import Document

    document = Document()
    build(document)
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _references(numbers: Sequence[int]) -> str:
    return " ".join(f"{number} 0 R" for number in numbers)


def _page_content(lines: Sequence[str | tuple[str, int]]) -> str:
    shown = []
    y = 740
    for line in lines:
        text, size = (line, 11) if isinstance(line, str) else line
        escaped = text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        shown.append(f"BT /F1 {size} Tf 50 {y} Td ({escaped}) Tj ET")
        y -= size + 5
    return "\n".join(shown)


def _assembled(objects: dict[int, str]) -> bytes:
    out = b"%PDF-1.7\n"
    places: dict[int, int] = {}
    for number in sorted(objects):
        places[number] = len(out)
        out += f"{number} 0 obj\n{objects[number]}\nendobj\n".encode("latin-1")
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{places[number]:010} 00000 n \n".encode() for number in sorted(objects))
    return out + f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n".encode()
