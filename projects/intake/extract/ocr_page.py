"""Lines of text, in reading order, from the picture of a page that may lie on its side or slant."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from projects.intake.extract import ocr
from projects.intake.extract.base import clean
from projects.intake.extract.layout import Line, parted
from projects.intake.extract.layout_columns import Piece, Row, in_reading_order

UPRIGHT = 0.8
"""The mean confidence above which a picture is the right way up: upside down it is about 0.65."""
SAME_ROW = 0.5
"""The part of a piece's height by which it overlaps a row that it belongs to."""
WIDE = 2.0
"""Widths to heights from which on a piece tells how much the page slants."""
SPARSEST = 2.4
"""Heights of a line that a letter takes at most: 0.6 are usual, dotted lines and spaced titles take twice that."""
LARGER = ((2.2, 3.0), (1.7, 2.0), (1.35, 1.5))
"""Heights of a row to the usual height, and the type size that stands for them; boxes around words vary below that."""

# '9,ooo' is a common mistake in figures; in a group of three after a comma the letter can be nothing but a zero.
_THOUSANDS = re.compile(r"(?<![\w.,])\d{1,3}(?:[.,][\doO]{3})+(?![^\W_])")


@dataclass(frozen=True)
class Recognised:
    """What OCR made of a page: `unsure` lines of it may be wrong, `illegible` ones were left out."""

    lines: tuple[Line, ...] = ()
    unsure: int = 0
    illegible: int = 0

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


def read_page(picture: Any) -> Recognised:
    """Read a picture, an array of height × width × 3 bytes; raises ocr.OcrFailed."""
    found = _upright(picture)
    legible = [line for line in found if line.sure >= ocr.LEGIBLE and not _lacks_letters(line)]
    unsure = sum(line.sure < ocr.SURE for line in legible)
    illegible = sum(_length(line, 1) > WIDE * _length(line, 3) for line in found if line not in legible)
    return Recognised(tuple(lines_of(legible)), unsure, illegible)


def lines_of(found: Sequence[ocr.Found]) -> list[Line]:
    """Return what was found on a page as lines in reading order."""
    pieces = _straightened(found)
    if not pieces:
        return []
    usual = median(piece.height for piece in pieces)
    return in_reading_order([_row(row, usual) for row in _rows(pieces)])


def _upright(picture: Any) -> list[ocr.Found]:
    """Read a picture as it is, and turned if it seems to lie on its side or upside down."""
    import numpy as np

    found = ocr.recognise(picture)
    sure = _confidence(found)
    on_its_side = _stands(found)
    if not found or (sure >= UPRIGHT and not on_its_side):
        return found
    # Standing lines are read from bottom to top: surely, if that is how they run.
    quarters = (1 if sure >= UPRIGHT else 3) if on_its_side else 2
    turned = ocr.recognise(np.ascontiguousarray(np.rot90(picture, quarters)))
    better = _confidence(turned) >= UPRIGHT if on_its_side else _confidence(turned) > sure
    return turned if better and not _stands(turned) else found


def _lacks_letters(line: ocr.Found) -> bool:
    """Tell a line too long for its few letters: the rest is in a script that the model does not know."""
    return len(line.text) * SPARSEST * _length(line, 3) < _length(line, 1)


def _confidence(found: Sequence[ocr.Found]) -> float:
    """Return the mean confidence of a letter."""
    letters = sum(len(line.text) for line in found)
    return sum(line.sure * len(line.text) for line in found) / letters if letters else 0.0


def _stands(found: Sequence[ocr.Found]) -> bool:
    """Tell whether most letters are in lines that run up or down the picture."""
    standing = sum(len(line.text) for line in found if len(line.text) > 2 and _length(line, 3) > 1.5 * _length(line, 1))
    return standing * 2 > sum(len(line.text) for line in found)


def _length(line: ocr.Found, corner: int) -> float:
    """Return the length of the side from the first corner to another: 1 along the text, 3 across it."""
    return math.dist(line.corners[0], line.corners[corner])


def _straightened(found: Sequence[ocr.Found]) -> list[Piece]:
    """Return the lines' upright boxes, turned by how much the page slants."""
    wide = [line for line in found if _length(line, 1) > WIDE * _length(line, 3)]
    slant = median(_angle(line) for line in wide) if wide else 0.0
    cos, sin = math.cos(slant), math.sin(slant)
    pieces = []
    for line in found:
        across = [x * cos + y * sin for x, y in line.corners]
        down = [y * cos - x * sin for x, y in line.corners]
        text = _THOUSANDS.sub(_zeros, clean(line.text).strip())
        if text:
            pieces.append(Piece(text, min(across), min(down), max(across), max(down)))
    return pieces


def _zeros(match: re.Match[str]) -> str:
    return match[0].replace("o", "0").replace("O", "0")


def _angle(line: ocr.Found) -> float:
    (left, top), (right, other_top) = line.corners[0], line.corners[1]
    return math.atan2(other_top - top, right - left)


def _rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Gather pieces that share a line, from the top; each from left to right."""
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.top + piece.bottom):
        if rows and any(_share_a_line(piece, other) for other in rows[-1]):
            rows[-1].append(piece)
        else:
            rows.append([piece])
    return [sorted(row, key=lambda piece: piece.left) for row in rows]


def _share_a_line(one: Piece, other: Piece) -> bool:
    overlap = min(one.bottom, other.bottom) - max(one.top, other.top)
    return overlap > SAME_ROW * min(one.height, other.height)


def _row(pieces: Sequence[Piece], usual: float) -> Row:
    height = median(piece.height for piece in pieces)
    size = next((size for times, size in LARGER if height >= times * usual), 1.0)
    return Row(Line(parted(" ".join(piece.text for piece in pieces)), size), tuple(pieces))
