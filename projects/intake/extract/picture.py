"""Reads pictures of text, such as scans and photographs, by OCR."""

from __future__ import annotations

import struct
import warnings
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

from projects.blank import is_blank
from projects.intake.extract import ocr, sniff
from projects.intake.extract.base import Context, Extraction, ExtractionError
from projects.intake.extract.kept_pages import read_pages
from projects.intake.extract.layout import Page, blocks_of
from projects.intake.extract.ocr_page import read_page
from projects.intake.extract.page_report import How, PageRead, report_of, warnings_of

MOST_PIXELS = 100_000_000
"""A sheet of A2 at 400 dots per inch; a picture of three bytes a pixel takes 300 MB while it is open."""
SMALL = 1000
"""Pixels of the longest side of a picture that is enlarged: letters of a screenshot are few pixels high."""
MOST_PAGES = 2000

_FORMATS = ("PNG", "JPEG", "TIFF")
_DAMAGE = (OSError, SyntaxError, ValueError, TypeError, LookupError, ArithmeticError, EOFError, struct.error)
"""What Pillow raises at broken pictures, depending on where the break is."""
# Cameras put several pictures into what begins as a JPEG; Pillow names that after itself.
_MEDIA_TYPES = {"PNG": sniff.PNG, "JPEG": sniff.JPEG, "MPO": sniff.JPEG, "TIFF": sniff.TIFF}


def extract(path: Path, context: Context) -> Extraction:
    """Read a PNG, JPEG or TIFF picture. Raises ExtractionError for one that is damaged, too large or without text."""
    from PIL import Image

    with warnings.catch_warnings():
        # Pillow warns of sizes that are bounded below, and of tags that it does not know.
        warnings.simplefilter("ignore")
        try:
            with closing(_open(path)) as picture:
                media_type = _MEDIA_TYPES[picture.format]
                reads = list(_reads(picture, context))
        except Image.DecompressionBombError as error:
            raise ExtractionError(_too_large()) from error
    if all(read.how is How.BROKEN for read in reads):
        raise ExtractionError("The picture is damaged or incomplete.")
    if all(is_blank(line.text) for read in reads for line in read.page.lines):
        raise ExtractionError("No text was found in this picture by text recognition (OCR).")
    blocks = tuple(blocks_of([read.page for read in reads]))
    return Extraction(media_type, blocks, len(reads), warnings_of(reads), report_of(reads))


def _open(path: Path) -> Any:
    from PIL import Image

    try:
        return Image.open(path, formats=_FORMATS)
    except _DAMAGE as error:
        raise ExtractionError("The picture is damaged or incomplete: it does not open.") from error


def _reads(picture: Any, context: Context) -> Iterator[PageRead]:
    """Read each page of a TIFF; other pictures have one, whatever a camera put beside it."""
    total = _page_count(picture)
    if total > MOST_PAGES:
        raise ExtractionError(f"The picture has more than {MOST_PAGES:,} pages. Split it up.")
    return read_pages(total, context, lambda number: _read(picture, number))


def _page_count(picture: Any) -> int:
    """Return how many pages a picture has; a damaged one is the last, since it was to tell where the next begins."""
    if picture.format != "TIFF":
        return 1
    for number in range(MOST_PAGES + 1):
        try:
            picture.seek(number)
        except EOFError:
            return number
        except _DAMAGE:
            return number + 1
    return MOST_PAGES + 1


def _read(picture: Any, number: int) -> PageRead:
    page = Page(number, ())
    try:
        picture.seek(number - 1)
        _bound(picture)
        pixels = _pixels(picture)
    except _DAMAGE:
        return PageRead(page, How.BROKEN)
    if pixels.min() == pixels.max():
        return PageRead(page, How.BLANK)
    try:
        recognised = read_page(pixels)
    except ocr.OcrFailed:
        return PageRead(page, How.SILENT)
    how = How.OCR if recognised.lines else How.SILENT
    return PageRead(Page(number, recognised.lines), how, recognised.unsure, recognised.illegible)


def _bound(picture: Any) -> None:
    """Refuse a picture by its size, which stands at its beginning, before any of it is unpacked."""
    width, height = picture.size
    if width * height > MOST_PIXELS:
        raise ExtractionError(_too_large())


def _too_large() -> str:
    return f"The picture has more than {MOST_PIXELS // 1_000_000} million pixels; it was not opened. Save it smaller."


def _pixels(picture: Any) -> Any:
    """Return the picture as it is meant to be seen: height × width × 3 bytes, blue first."""
    import numpy as np
    from PIL import Image, ImageOps

    picture.draft("RGB", (ocr.LONGEST_SIDE, ocr.LONGEST_SIDE))
    picture.load()
    seen = ImageOps.exif_transpose(_on_paper(_reduced(picture)))
    scale = 2.0 if max(seen.size) < SMALL else min(ocr.LONGEST_SIDE / max(seen.size), 1.0)
    if scale != 1:
        size = (max(round(seen.width * scale), 1), max(round(seen.height * scale), 1))
        seen = seen.resize(size, Image.Resampling.LANCZOS)
    return np.ascontiguousarray(np.asarray(seen)[:, :, ::-1])


def _reduced(picture: Any) -> Any:
    """Return a large picture smaller by a whole number, before any copy of it is made."""
    times = max(picture.size) // ocr.LONGEST_SIDE
    if times < 2:
        return picture
    if picture.mode in {"1", "P", "PA"}:  # points that have no middle
        picture = picture.convert("L" if picture.mode == "1" else "RGBA")
    return picture.reduce(times)


def _on_paper(picture: Any) -> Any:
    """Return a picture in red, green and blue: what is transparent on white, 16 bits of grey as 8."""
    from PIL import Image

    if picture.mode.startswith(("I", "F")):
        import numpy as np

        grey = np.asarray(picture).astype(np.float32)
        seen = Image.fromarray((grey * (255 / max(float(grey.max()), 1.0))).clip(0, 255).astype(np.uint8))
        seen.info = picture.info
        return seen.convert("RGB")
    if picture.mode in {"LA", "La", "PA", "RGBA", "RGBa"} or "transparency" in picture.info:
        seen = picture.convert("RGBA")
        return Image.alpha_composite(Image.new("RGBA", seen.size, "white"), seen).convert("RGB")
    return picture.convert("RGB")
