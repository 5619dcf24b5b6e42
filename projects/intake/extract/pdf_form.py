"""What was written onto a PDF's page after it was made: values of form fields and notes."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

from projects.intake.extract.base import clean

_TICKED = {"", "yes", "on", "1", "true"}
"""Values of a ticked box that say no more than that."""


def written_on(document: Any, page: Any) -> Iterator[str]:
    """Yield 'name: value' of the filled form fields of a page, and its notes; none of it is part of the page's text."""
    from pypdfium2 import raw

    for index in range(raw.FPDFPage_GetAnnotCount(page)):
        annotation = raw.FPDFPage_GetAnnot(page, index)
        if not annotation:
            continue
        try:
            yield from _written(document.formenv, annotation)
        finally:
            raw.FPDFPage_CloseAnnot(annotation)


def _written(form: Any, annotation: Any) -> Iterator[str]:
    from pypdfium2 import raw

    if raw.FPDFAnnot_GetFlags(annotation) & raw.FPDF_ANNOT_FLAG_HIDDEN:
        return
    kind = raw.FPDFAnnot_GetSubtype(annotation)
    if kind == raw.FPDF_ANNOT_WIDGET and form is not None:
        yield from _field(form, annotation)
    elif kind in {raw.FPDF_ANNOT_FREETEXT, raw.FPDF_ANNOT_TEXT, raw.FPDF_ANNOT_HIGHLIGHT}:
        text = clean(_wide_string(raw.FPDFAnnot_GetStringValue, annotation, b"Contents"))
        if text.strip():
            # What is typed onto a page is part of it; what is pinned to it is somebody's remark.
            yield text if kind == raw.FPDF_ANNOT_FREETEXT else f"Note: {text}"


def _field(form: Any, annotation: Any) -> Iterator[str]:
    from pypdfium2 import raw

    name = _name(form, annotation)
    kind = raw.FPDFAnnot_GetFormFieldType(form, annotation)
    if kind in {raw.FPDF_FORMFIELD_CHECKBOX, raw.FPDF_FORMFIELD_RADIOBUTTON}:
        value = _ticked(form, annotation) if raw.FPDFAnnot_IsChecked(form, annotation) else ""
    else:
        value = _wide_string(raw.FPDFAnnot_GetFormFieldValue, form, annotation)
    if value.strip():
        yield clean(f"{name}: {value}" if name else value)


def _name(form: Any, annotation: Any) -> str:
    """Return what a person is told the field is for, or else what programs call it."""
    from pypdfium2 import raw

    told = _wide_string(raw.FPDFAnnot_GetFormFieldAlternateName, form, annotation)
    return told.strip() or _wide_string(raw.FPDFAnnot_GetFormFieldName, form, annotation)


def _ticked(form: Any, annotation: Any) -> str:
    from pypdfium2 import raw

    value = _wide_string(raw.FPDFAnnot_GetFormFieldExportValue, form, annotation)
    return "yes" if value.strip().lower() in _TICKED else value


def _wide_string(getter: Any, *arguments: Any) -> str:
    """Call a pdfium function that fills a buffer with UTF-16-LE and returns the bytes that it needs."""
    from pypdfium2 import raw

    size = getter(*arguments, None, 0)
    buffer = ctypes.create_string_buffer(size)
    getter(*arguments, ctypes.cast(buffer, ctypes.POINTER(raw.FPDF_WCHAR)), size)
    return buffer.raw[:size].decode("utf-16-le", errors="replace").rstrip("\x00")
