"""The files that are read: PDFs of printed prose, and PDFs of pictures of it."""

from __future__ import annotations

import textwrap
from io import BytesIO
from typing import Any

from bench.texts import prose
from tests.builders import pdf

WIDTH = 90
LINES = 46
"""Of a page: some 3,500 characters, a full sheet."""
DOTS_PER_INCH = 200


def printed(pages: int, seed: int = 1) -> bytes:
    """Return a PDF with a text layer."""
    return pdf(*(page_lines(seed + number) for number in range(pages)))


def scanned(pages: int, seed: int = 1) -> bytes:
    """Return a PDF whose pages are pictures of text, at the resolution of an office scanner."""
    first, *others = [_picture(page_lines(seed + number)) for number in range(pages)]
    buffer = BytesIO()
    first.save(buffer, "PDF", resolution=DOTS_PER_INCH, save_all=True, append_images=others)
    return buffer.getvalue()


def page_lines(seed: int) -> list[str]:
    """Return the lines of a page."""
    return textwrap.wrap(prose(seed, LINES), WIDTH)[:LINES]


def _picture(lines: list[str]) -> Any:
    from PIL import Image, ImageDraw, ImageFont

    inch = DOTS_PER_INCH
    page = Image.new("L", (int(8.27 * inch), int(11.69 * inch)), 255)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size=28)
    for number, line in enumerate(lines):
        draw.text((inch, inch * 0.8 + number * 42), line, font=font, fill=0)
    return page
