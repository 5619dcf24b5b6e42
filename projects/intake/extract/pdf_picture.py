"""The picture of a PDF's page, and what can be told from it."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from projects.intake.extract.ocr import DOTS_PER_INCH, LONGEST_SIDE

POINTS_PER_INCH = 72
GLANCE = 300
"""Pixels of the longest side, enough to see whether there is anything on a page."""
MOST_OBJECTS = 2000
"""Of a page that are looked through for pictures: drawings have many thousand."""
LARGE = 0.05
"""The part of a page from which on a picture is more than a logo."""
NESTING = 4


def picture_of(page: Any) -> Any:
    """Draw a page as it is printed, without what was written onto it later; height × width × 3 bytes, blue first."""
    return _drawn(page, min(DOTS_PER_INCH / POINTS_PER_INCH, LONGEST_SIDE / _longest(page)))


def is_blank_page(page: Any) -> bool:
    """Tell a page with nothing to see on it."""
    glance = _drawn(page, GLANCE / _longest(page))
    return bool(glance.min() == glance.max())


def covered_by_pictures(page: Any) -> float:
    """Return which part of a page pictures cover, roughly: 1 if one is within another object, where places differ."""
    from pypdfium2 import raw

    covered = 0.0
    for picture in page.get_objects(filter=(raw.FPDF_PAGEOBJ_IMAGE,), max_depth=NESTING):
        if picture.level:
            return 1.0
        covered += _part(picture.get_bounds(), page)
    return min(covered, 1.0)


def has_pictures(page: Any) -> bool:
    """Tell whether a page shows pictures that may say something."""
    import ctypes

    from pypdfium2 import raw

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for index in range(min(raw.FPDFPage_CountObjects(page), MOST_OBJECTS)):
        item = raw.FPDFPage_GetObject(page, index)
        if raw.FPDFPageObj_GetType(item) != raw.FPDF_PAGEOBJ_IMAGE:
            continue
        known = raw.FPDFPageObj_GetBounds(item, left, bottom, right, top)
        if known and _part((left.value, bottom.value, right.value, top.value), page) >= LARGE:
            return True
    return False


def _part(bounds: tuple[float, float, float, float], page: Any) -> float:
    """Return which part of the page a box takes, whatever of it lies outside aside."""
    left, bottom, right, top = bounds
    page_left, page_bottom, page_right, page_top = page.get_bbox()
    width = min(right, page_right) - max(left, page_left)
    height = min(top, page_top) - max(bottom, page_bottom)
    whole = (page_right - page_left) * (page_top - page_bottom)
    return max(width, 0) * max(height, 0) / whole if whole > 0 else 0.0


def _longest(page: Any) -> float:
    width, height = page.get_size()
    return max(float(width), float(height), 1.0)


def _drawn(page: Any, scale: float) -> Any:
    import numpy as np

    with closing(page.render(scale=scale, may_draw_forms=False, draw_annots=False)) as bitmap:
        return np.array(bitmap.to_numpy()[:, :, :3])
