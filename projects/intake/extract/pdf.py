"""Reads PDF files: their text layer page by page, headings by type size, and the values of form fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Block, Extraction, ExtractionError, PasswordNeeded, clean
from projects.intake.extract.sniff import PDF

HEADING_SIZE = 1.12
"""A line set this much larger than the running text is a heading."""
MAX_HEADING = 120
HEADING_LEVELS = 3
PASSWORD_ERROR = 4
"""FPDF_ERR_PASSWORD of pdfium."""

_SENTENCE_END = re.compile(r"[.!?:;。！？][\"'”’»)\]]*$")


@dataclass(frozen=True)
class _Line:
    """A line of a page with the size of its first character in points, 0 if unknown; `wraps`: it goes on below."""

    text: str
    size: float
    wraps: bool


@dataclass(frozen=True)
class _Page:
    number: int
    lines: tuple[_Line, ...]
    fields: tuple[str, ...]


def extract(path: Path) -> Extraction:
    """Read a PDF. Raises PasswordNeeded for a locked file, ExtractionError for a damaged one or one without text."""
    with closing(_open(path)) as document:
        document.init_forms()
        pages = [_page(document, number) for number in range(1, len(document) + 1)]
    silent = [page.number for page in pages if not page.lines and not page.fields]
    if len(silent) == len(pages):
        raise ExtractionError("No text: the pages are pictures and need OCR (text recognition).")
    warnings = (_no_text_layer(silent),) if silent else ()
    return Extraction(PDF, tuple(_blocks(pages)), pages=len(pages), warnings=warnings)


def _open(path: Path) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code == PASSWORD_ERROR:
            raise PasswordNeeded("The PDF is protected by a password.") from error
        raise ExtractionError("The PDF is damaged or incomplete: it does not open.") from error


def _page(document: Any, number: int) -> _Page:
    import pypdfium2

    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError as error:
        raise ExtractionError(f"The PDF is damaged: page {number} does not open.") from error
    with closing(page), closing(page.get_textpage()) as text_page:
        return _Page(number, tuple(_lines(text_page)), tuple(_field_values(document, page)))


def _lines(text_page: Any) -> Iterator[_Line]:
    """Yield the lines of a page that hold anything.

    pdfium writes U+FFFE or U+0002 for a hyphen at the end of a line that parts a word.
    """
    from pypdfium2 import raw

    text = text_page.get_text_range()
    sizes_known = text_page.count_chars() == len(text)
    start = 0
    for line in text.split("\n"):
        bare = line.rstrip("\r")
        shown = clean(bare)
        if shown.strip():
            first = start + len(bare) - len(bare.lstrip())
            size = raw.FPDFText_GetFontSize(text_page, first) if sizes_known else 0.0
            parted = bare.endswith(("\ufffe", "\x02"))
            yield _Line(shown + ("\u00ad" if parted else ""), round(size, 1), parted or bare.endswith(" "))
        start += len(line) + 1


def _field_values(document: Any, page: Any) -> Iterator[str]:
    """Yield 'name: value' of the filled form fields of a page; their values are no part of its text."""
    from pypdfium2 import raw

    form = document.formenv
    if form is None:
        return
    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        try:
            if raw.FPDFAnnot_GetSubtype(annotation) == raw.FPDF_ANNOT_WIDGET:
                yield from _field(form, annotation)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)


def _field(form: Any, annotation: Any) -> Iterator[str]:
    from pypdfium2 import raw

    name = _wide_string(raw.FPDFAnnot_GetFormFieldName, form, annotation)
    ticked_or_not = {raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON}
    if raw.FPDFAnnot_GetFormFieldType(form, annotation) in ticked_or_not:
        value = "yes" if raw.FPDFAnnot_IsChecked(form, annotation) else ""
    else:
        value = _wide_string(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    if value.strip():
        yield clean(f"{name}: {value}" if name else value)


def _wide_string(getter: Any, form: Any, annotation: Any) -> str:
    """Call a pdfium function that fills a buffer with UTF-16-LE and returns the bytes that it needs."""
    import ctypes

    from pypdfium2 import raw

    size = getter(form, annotation, None, 0)
    buffer = ctypes.create_string_buffer(size)
    getter(form, annotation, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw[:size].decode("utf-16-le", errors="replace").rstrip("\x00")


def _blocks(pages: Sequence[_Page]) -> Iterator[Block]:
    levels = _heading_levels(pages)
    for page in pages:
        paragraph: list[_Line] = []
        for line in page.lines:
            level = levels.get(line.size, 0) if len(line.text) <= MAX_HEADING else 0
            if level:
                yield from _paragraph(paragraph, page.number)
                paragraph = []
                yield Block(line.text.strip(), page.number, level)
            else:
                paragraph.append(line)
        yield from _paragraph(paragraph, page.number)
        if page.fields:
            yield Block("\n".join(page.fields), page.number)


def _heading_levels(pages: Sequence[_Page]) -> dict[float, int]:
    """Return the level of each type size that is used for headings: the largest is 1."""
    used: Counter[float] = Counter()
    for page in pages:
        for line in page.lines:
            used[line.size] += len(line.text)
    body = used.most_common(1)[0][0] if used else 0.0
    if body <= 0:
        return {}
    larger = sorted((size for size in used if size >= HEADING_SIZE * body), reverse=True)
    return {size: min(index, HEADING_LEVELS) for index, size in enumerate(larger, start=1)}


def _paragraph(lines: Sequence[_Line], page: int) -> Iterator[Block]:
    """Yield the lines of a page as one block, those that were only wrapped joined again."""
    if not lines:
        return
    width = max(len(line.text) for line in lines)
    text = lines[0].text
    for before, line in pairwise(lines):
        if text.endswith("\u00ad"):
            text = text[:-1] + line.text
        elif before.wraps or _goes_on(before.text, line.text, width):
            text += " " + line.text
        else:
            text += "\n" + line.text
    yield Block(text.rstrip("\u00ad"), page)


def _goes_on(line: str, following: str, width: int) -> bool:
    """Tell whether a long line without an end goes on in the next one, which begins in lower case."""
    return len(line) >= 0.75 * width and following[:1].islower() and not _SENTENCE_END.search(line)


def _no_text_layer(pages: Sequence[int]) -> str:
    if len(pages) == 1:
        return f"Page {pages[0]} has no text layer and was not read."
    listed = ", ".join(str(page) for page in pages[:20]) + (" …" if len(pages) > 20 else "")
    return f"Pages {listed} have no text layer and were not read."
