"""Reads PDF files: each page by its text layer, or by its picture where that is missing or garbled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from projects.blank import is_blank
from projects.intake.extract import ocr, quality
from projects.intake.extract.base import Context, Extraction, ExtractionError, PasswordNeeded
from projects.intake.extract.kept_pages import read_pages
from projects.intake.extract.layout import Line, Page, blocks_of
from projects.intake.extract.layout_columns import in_reading_order
from projects.intake.extract.ocr_page import Recognised, read_page
from projects.intake.extract.page_report import How, PageRead, report_of, warnings_of
from projects.intake.extract.pdf_attached import attached_to
from projects.intake.extract.pdf_form import written_on
from projects.intake.extract.pdf_picture import covered_by_pictures, has_pictures, is_blank_page, picture_of
from projects.intake.extract.pdf_text import rows_of
from projects.intake.extract.sniff import PDF

PASSWORD_ERROR, SECURITY_ERROR = 4, 5
"""FPDF_ERR_PASSWORD and FPDF_ERR_SECURITY of pdfium."""
CAPTION = 200
"""Characters: a page with fewer that pictures cover may be a scan with a stamp, or a picture with a caption."""
COVERED = 0.5
"""The part of such a page that pictures cover."""
FULLER = 1.5
"""Times the characters of its text layer that OCR must find on such a page to be taken instead."""


def extract(path: Path, context: Context) -> Extraction:
    """Read a PDF. Raises PasswordNeeded for a locked file, ExtractionError for a damaged one or one without text."""
    with closing(_open(path, context.password)) as document:
        about_forms = tuple(_prepared_forms(document))
        reads = list(_reads(document, context))
        attached = attached_to(document, context.folder)
    if reads and all(read.how is How.BROKEN for read in reads):
        raise ExtractionError("The PDF is damaged: none of its pages opens.")
    if not attached.files and all(is_blank(line.text) for read in reads for line in read.page.lines):
        raise ExtractionError(_no_text(reads))
    return Extraction(
        PDF,
        tuple(blocks_of([read.page for read in reads])),
        len(reads),
        (*about_forms, *warnings_of(reads)),
        report_of(reads, attached.left_out),
        attached.files,
    )


def _prepared_forms(document: Any) -> Iterator[str]:
    """Make the values of forms readable, before any page is opened; yield what is not."""
    import pypdfium2
    from pypdfium2 import raw

    if document.get_formtype() == raw.FORMTYPE_XFA_FULL:
        yield (
            "This form is of a kind that only Adobe Reader shows (XFA): what was filled in may be missing. "
            "Print it into a PDF and add that."
        )
    try:
        document.init_forms()
    except pypdfium2.PdfiumError:
        yield "The form in this PDF is damaged: what was filled in is missing."


def _open(path: Path, password: str) -> Any:
    import pypdfium2

    try:
        return pypdfium2.PdfDocument(path, password=password or None)
    except pypdfium2.PdfiumError as error:
        if error.err_code == PASSWORD_ERROR:
            wrong = "The password does not open it."
            raise PasswordNeeded(wrong if password else "The PDF is protected by a password.") from error
        if error.err_code == SECURITY_ERROR:
            raise ExtractionError("The PDF is encrypted in a way that only a program of its own opens.") from error
        raise ExtractionError("The PDF is damaged or incomplete: it does not open.") from error


def _reads(document: Any, context: Context) -> Iterator[PageRead]:
    return read_pages(len(document), context, lambda number: _read(document, number))


def _read(document: Any, number: int) -> PageRead:
    import pypdfium2

    try:
        page = document[number - 1]
        with closing(page):
            return _read_open(document, page, number)
    except pypdfium2.PdfiumError:
        return PageRead(Page(number, ()), How.BROKEN)


def _read_open(document: Any, page: Any, number: int) -> PageRead:
    with closing(page.get_textpage()) as text_page:
        layer = in_reading_order(list(rows_of(page, text_page)))
    written = [Line(text, alone=True) for text in written_on(document, page)]
    how, lines, recognised = _chosen(page, layer)
    replaced = quality.replaced(_text(lines))
    pictures = how is How.TEXT and has_pictures(page)
    return PageRead(Page(number, (*lines, *written)), how, recognised.unsure, recognised.illegible, replaced, pictures)


def _chosen(page: Any, layer: Sequence[Line]) -> tuple[How, Sequence[Line], Recognised]:
    """Decide between a page's text layer and its picture, which is read only if there is doubt."""
    text = _text(layer)
    garbled = quality.is_garbled(text)
    nothing = Recognised()
    if is_blank(text):
        if is_blank_page(page):
            return How.BLANK, (), nothing
        recognised = _recognised(page)
        return (How.OCR if recognised.lines else How.SILENT), recognised.lines, recognised
    stamped = quality.visible(text) < CAPTION and covered_by_pictures(page) >= COVERED
    if not garbled and not stamped:
        return How.TEXT, layer, nothing
    recognised = _recognised(page)
    if garbled and not quality.agree(text, recognised.text):
        return (How.INSTEAD, recognised.lines, recognised) if recognised.lines else (How.DOUBTFUL, layer, nothing)
    if stamped and quality.visible(recognised.text) >= FULLER * quality.visible(text):
        return How.OCR, recognised.lines, recognised
    return How.TEXT, layer, nothing


def _recognised(page: Any) -> Recognised:
    try:
        return read_page(picture_of(page))
    except ocr.OcrFailed:
        return Recognised()


def _text(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)


def _no_text(reads: Sequence[PageRead]) -> str:
    if all(read.how is How.BLANK for read in reads):
        return "There is no text in this PDF: its pages are blank." if reads else "The PDF has no pages."
    return "No text was found: the pages are pictures, and text recognition (OCR) found nothing to read on them."
