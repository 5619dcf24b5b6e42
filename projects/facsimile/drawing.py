"""Draws one page of a PDF or of a picture file and finds words on it; runs only within the process of its own."""

from __future__ import annotations

import io
import itertools
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from projects.facsimile.wire import Wanted
from projects.presentation.highlights import stem
from projects.presentation.quotes import Span, find_pieces

WIDTH = 1400
"""Pixels; sharp on a screen of twice the usual density."""
MAX_HEIGHT = 3000
QUALITY = 82

Place = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the picture."""


class NoPicture(Exception):
    """There is no picture of the page; `message` says why, for a person."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


@dataclass(frozen=True)
class Drawn:
    """A page: its picture as WebP (empty unless asked for), the picture's size, and where the wanted words stand."""

    pages: int
    width: int
    height: int
    places: tuple[Place, ...]
    picture: bytes


def draw_pdf(path: Path, password: str, number: int, wanted: Sequence[Wanted], *, draw: bool) -> Drawn:
    """Draw page `number` (from 1) of a PDF. Raises NoPicture."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path, password=password or None)
    except pypdfium2.PdfiumError as error:
        raise NoPicture("The file does not open as a PDF.") from error
    with closing(document):
        if not 1 <= number <= len(document):
            raise NoPicture(f"The file has no page {number}.")
        document.init_forms()
        try:
            page = document[number - 1]
        except pypdfium2.PdfiumError as error:
            raise NoPicture(f"Page {number} is damaged and does not open.") from error
        with closing(page):
            width, height = fit(*page.get_size())
            places = tuple(_places(page, wanted, (width, height)))
            picture = _webp(_rendered(page, width, height)) if draw else b""
            return Drawn(len(document), width, height, places, picture)


def draw_picture(path: Path, number: int, *, draw: bool) -> Drawn:
    """Draw page `number` (from 1) of a picture file; only TIFF files have more than one. Raises NoPicture."""
    from PIL import Image, ImageOps, UnidentifiedImageError

    try:
        with Image.open(path) as image:
            pages = getattr(image, "n_frames", 1)
            if not 1 <= number <= pages:
                raise NoPicture(f"The file has no page {number}.")
            image.seek(number - 1)
            upright = ImageOps.exif_transpose(image).convert("RGB")
    except (UnidentifiedImageError, OSError, ValueError, Image.DecompressionBombError) as error:
        raise NoPicture("The picture is damaged or too large to be shown.") from error
    upright.thumbnail((WIDTH, MAX_HEIGHT))
    return Drawn(pages, *upright.size, places=(), picture=_webp(upright) if draw else b"")


def fit(width: float, height: float) -> tuple[int, int]:
    """Return the size in pixels of a page's picture: WIDTH wide, narrower if it would be too high."""
    if width <= 0 or height <= 0:
        raise NoPicture("The page has no size.")
    scale = min(WIDTH / width, MAX_HEIGHT / height)
    return max(1, round(width * scale)), max(1, round(height * scale))


def _rendered(page: Any, width: int, height: int) -> Any:
    """Return the page drawn on white, with what forms and annotations show."""
    scale = min(width / page.get_width(), height / page.get_height())
    with closing(page.render(scale=scale, limit_image_cache=True)) as bitmap:
        return bitmap.to_pil().convert("RGB").resize((width, height))


def _webp(image: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, "WEBP", quality=QUALITY, method=2)
    return buffer.getvalue()


def _places(page: Any, wanted: Iterable[Wanted], size: tuple[int, int]) -> Iterator[Place]:
    with closing(page.get_textpage()) as text_page:
        characters = _characters(text_page)
        for item in wanted:
            for span in _spans(characters, item):
                yield from merged(_boxes(page, text_page, span, size))


def _characters(text_page: Any) -> list[str]:
    """Return the page's characters, one for each of pdfium's indexes, which those of its text need not follow."""
    from pypdfium2 import raw

    units = [raw.FPDFText_GetUnicode(text_page, index) for index in range(text_page.count_chars())]
    return [chr(unit) if unit < 0x110000 else "" for unit in units]


def _spans(characters: Sequence[str], wanted: Wanted) -> Iterator[Span]:
    pieces = find_pieces(characters, wanted["quote"])
    if not wanted["words"]:
        yield from pieces
        return
    stems = set(wanted["words"])
    for piece in pieces:
        for word in _words(characters, piece):
            if stem("".join(characters[word.start : word.end])) in stems:
                yield word


def _words(characters: Sequence[str], within: Span) -> Iterator[Span]:
    positions = range(within.start, within.end)
    for is_word, group in itertools.groupby(positions, key=lambda at: characters[at].isalnum()):
        if is_word:
            indexes = list(group)
            yield Span(indexes[0], indexes[-1] + 1)


def _boxes(page: Any, text_page: Any, span: Span, size: tuple[int, int]) -> Iterator[Place]:
    """Yield the box of each visible character; a turned page is taken into account."""
    import pypdfium2
    from pypdfium2 import PdfPosConv

    to_picture = PdfPosConv(page, (0, 0, *size, 0)).to_bitmap
    for index in range(span.start, span.end):
        try:
            left, bottom, right, top = text_page.get_charbox(index, loose=True)
        except pypdfium2.PdfiumError:
            continue
        (x1, y1), (x2, y2) = to_picture(left, bottom), to_picture(right, top)
        if x1 != x2 and y1 != y2:
            yield min(x1, x2), min(y1, y2), abs(x2 - x1), abs(y2 - y1)


def merged(boxes: Iterable[Place]) -> list[Place]:
    """Join the boxes of characters that stand beside each other, one place for each line; on a turned page, column."""
    places: list[Place] = []
    last: Place | None = None
    for box in boxes:
        if last and (_follows(last, box, across=True) or (_is_upright(places[-1], last) and _follows(last, box))):
            places[-1] = _around(places[-1], box)
        else:
            places.append(box)
        last = box
    return places


def _follows(before: Place, box: Place, *, across: bool = False) -> bool:
    """Tell whether a box stands beside the one before: next to it if `across`, else above or below it."""
    along, side = (0, 1) if across else (1, 0)
    shared = min(before[side] + before[side + 2], box[side] + box[side + 2]) - max(before[side], box[side])
    gap = max(box[along] - (before[along] + before[along + 2]), before[along] - (box[along] + box[along + 2]))
    return shared > min(before[side + 2], box[side + 2]) / 2 and gap < 2 * max(before[side + 2], box[side + 2])


def _is_upright(place: Place, last: Place) -> bool:
    """Tell whether a place can be a column: the one character, or no wider than it. What stands below a line is not."""
    return place[2] <= max(last[2], last[3])


def _around(one: Place, other: Place) -> Place:
    left, top = min(one[0], other[0]), min(one[1], other[1])
    right, bottom = max(one[0] + one[2], other[0] + other[2]), max(one[1] + one[3], other[1] + other[3])
    return left, top, right - left, bottom - top
