"""The text layer of a PDF's page: its lines with type sizes and the places of their pieces."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from projects.intake.extract.base import clean
from projects.intake.extract.layout import SOFT_HYPHEN, Line
from projects.intake.extract.layout_columns import Piece, Row

WIDE_GAP = 1.0
"""In heights of the line: between words set apart, not between words of justified text."""

# What pdfium writes for a hyphen that seems to part a word at a line's end; the line's end itself it omits.
PARTING = "\ufffe"
_LINES = re.compile(f"[^\n{PARTING}]*[\n{PARTING}]?")
_WORD = re.compile(r"\S+")


def rows_of(page: Any, text_page: Any) -> Iterator[Row]:
    """Yield the lines of a page that hold anything, as they were drawn, with soft hyphens where words are parted."""
    places = _Places(page, text_page)
    start = 0
    for line in _LINES.findall(_without_nothing(text_page.get_text_range(), places)):
        bare = line.rstrip("\r\n").replace(PARTING, SOFT_HYPHEN)
        shown = clean(bare)
        if shown.strip():
            first = start + len(bare) - len(bare.lstrip())
            yield Row(Line(shown, places.size(first), bare.endswith(" ")), tuple(_pieces(places, bare, start)))
        start += _units(line)


def _without_nothing(text: str, places: _Places) -> str:
    """Return a page's text with NUL where pdfium writes the sign for a hyphen and the font says NUL."""
    parts = text.split(PARTING)
    joined, at = parts[0], _units(parts[0])
    for part in parts[1:]:
        joined += (PARTING if places.is_hyphen(at) else "\0") + part
        at += 1 + _units(part)
    return joined


def _pieces(places: _Places, line: str, start: int) -> Iterator[Piece]:
    """Yield what stands together on a line that begins at index `start` of the page's text; nothing if it slants."""
    if _units(line) != len(line):
        return
    words = [_boxed(places, start, match) for match in _WORD.finditer(line)]
    boxes = [word for word in words if word is not None]
    if len(boxes) < len(words) or not all(_side_by_side(*pair) for pair in pairwise(boxes)):
        return
    together: list[Piece] = []
    for word in boxes:
        if together and _gap(together[-1], word) > WIDE_GAP * max(word.height, together[-1].height):
            yield _together(together)
            together = []
        together.append(word)
    yield _together(together)


def _boxed(places: _Places, start: int, match: re.Match[str]) -> Piece | None:
    first, last = places.box(start + match.start()), places.box(start + match.end() - 1)
    if first is None or last is None:
        return None
    (a_left, a_top, a_right, a_bottom), (b_left, b_top, b_right, b_bottom) = first, last
    return Piece(match[0], min(a_left, b_left), min(a_top, b_top), max(a_right, b_right), max(a_bottom, b_bottom))


def _side_by_side(one: Piece, other: Piece) -> bool:
    """Tell whether two words share a line as it is seen: those of upright text on a turned page do not."""
    return min(one.bottom, other.bottom) - max(one.top, other.top) > 0.3 * min(one.height, other.height)


def _gap(one: Piece, other: Piece) -> float:
    """Return what lies between two words, whichever way the script runs."""
    return max(other.left - one.right, one.left - other.right)


def _together(words: list[Piece]) -> Piece:
    return Piece(
        clean(" ".join(word.text for word in words)),
        min(word.left for word in words),
        min(word.top for word in words),
        max(word.right for word in words),
        max(word.bottom for word in words),
    )


def _units(text: str) -> int:
    """Return the length as pdfium counts it, in units of UTF-16."""
    return len(text) + sum(character > "\uffff" for character in text)


class _Places:
    """Where the characters of a page's text stand, and how large they are."""

    def __init__(self, page: Any, text_page: Any) -> None:
        from pypdfium2 import raw

        self._raw = raw
        self._page = text_page
        self._turned = page.get_rotation()
        self._left, self._bottom, right, top = page.get_bbox()
        self._width, self._height = right - self._left, top - self._bottom
        self._box = raw.FS_RECTF()
        self._matrix = raw.FS_MATRIX()

    def size(self, index: int) -> float:
        """Return the type size in points of the character at `index` of the text; 0 if unknown."""
        at = self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, index)
        if at < 0:
            return 0.0
        size: float = self._raw.FPDFText_GetFontSize(self._page, at)
        # Many programs choose the size 1 and scale.
        if self._raw.FPDFText_GetMatrix(self._page, at, self._matrix):
            size *= math.hypot(self._matrix.c, self._matrix.d)
        return round(size, 1)

    def is_hyphen(self, index: int) -> bool:
        """Tell whether the character at `index` is a hyphen at a line's end."""
        at = self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, index)
        return at >= 0 and bool(self._raw.FPDFText_IsHyphen(self._page, at) == 1)

    def box(self, index: int) -> tuple[float, float, float, float] | None:
        """Return left, top, right and bottom of a character from the top left of the page as it is seen."""
        at = self._raw.FPDFText_GetCharIndexFromTextIndex(self._page, index)
        box = self._box
        if at < 0 or not self._raw.FPDFText_GetLooseCharBox(self._page, at, box):
            return None
        left, bottom = box.left - self._left, box.bottom - self._bottom
        right, top = box.right - self._left, box.top - self._bottom
        match self._turned:
            case 90:
                turned = (bottom, left, top, right)
            case 180:
                turned = (self._width - right, bottom, self._width - left, top)
            case 270:
                turned = (self._height - top, self._width - right, self._height - bottom, self._width - left)
            case _:
                turned = (left, self._height - top, right, self._height - bottom)
        return turned if turned[3] > turned[1] else None
