"""Reads PDF files: the text layer of their pages with type sizes, and the values of form fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Context, Extraction, ExtractionError, PasswordNeeded, clean
from projects.intake.extract.layout import SOFT_HYPHEN, Line, Page, blocks_of
from projects.intake.extract.sniff import PDF

PASSWORD_ERROR = 4
"""FPDF_ERR_PASSWORD of pdfium."""

# What pdfium writes for a hyphen that it takes for the parting of a word at a line's end.
_PARTING = re.compile("[\ufffe\x02\u00ad]")


def extract(path: Path, context: Context) -> Extraction:
    """Read a PDF. Raises PasswordNeeded for a locked file, ExtractionError for a damaged one or one without text."""
    with closing(_open(path)) as document:
        document.init_forms()
        pages = [_page(document, number) for number in range(1, len(document) + 1)]
    silent = [page.number for page in pages if not page.lines]
    if len(silent) == len(pages):
        raise ExtractionError("No text: the pages are pictures and need OCR (text recognition).")
    warnings = (_no_text_layer(silent),) if silent else ()
    return Extraction(PDF, tuple(blocks_of(pages)), pages=len(pages), warnings=warnings)


def _open(path: Path) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        if error.err_code == PASSWORD_ERROR:
            raise PasswordNeeded("The PDF is protected by a password.") from error
        raise ExtractionError("The PDF is damaged or incomplete: it does not open.") from error


def _page(document: Any, number: int) -> Page:
    import pypdfium2

    try:
        page = document[number - 1]
    except pypdfium2.PdfiumError as error:
        raise ExtractionError(f"The PDF is damaged: page {number} does not open.") from error
    with closing(page), closing(page.get_textpage()) as text_page:
        fields = (Line(value) for value in _field_values(document, page))
        return Page(number, (*_lines(text_page), *fields))


def _lines(text_page: Any) -> Iterator[Line]:
    """Yield the lines of a page that hold anything, with soft hyphens where words are parted."""
    from pypdfium2 import raw

    text = text_page.get_text_range()
    sizes_known = text_page.count_chars() == len(text)
    start = 0
    for line in text.split("\n"):
        bare = _PARTING.sub(SOFT_HYPHEN, line.rstrip("\r"))
        shown = clean(bare)
        if shown.strip():
            first = start + len(bare) - len(bare.lstrip())
            size = raw.FPDFText_GetFontSize(text_page, first) if sizes_known else 0.0
            yield Line(shown, round(size, 1), bare.endswith(" "))
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


def _no_text_layer(pages: Sequence[int]) -> str:
    if len(pages) == 1:
        return f"Page {pages[0]} has no text layer and was not read."
    listed = ", ".join(str(page) for page in pages[:20]) + (" …" if len(pages) > 20 else "")
    return f"Pages {listed} have no text layer and were not read."
