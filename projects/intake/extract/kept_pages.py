"""Keeps the pages that text recognition took long for, so that a reading that was cut off goes on where it was."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from projects.intake.extract.base import Context
from projects.intake.extract.layout import Line, Page
from projects.intake.extract.page_report import How, PageRead

WORTH_KEEPING = frozenset({How.OCR, How.INSTEAD, How.DOUBTFUL, How.SILENT})
"""All others are read again in milliseconds."""


def read_pages(total: int, context: Context, read: Callable[[int], PageRead]) -> Iterator[PageRead]:
    """Yield pages 1 to `total`, each as it was kept or else by `read`, and tell the progress."""
    for number in range(1, total + 1):
        page = _kept(context.kept, number)
        if page is None:
            page = read(number)
            if context.kept is not None and page.how in WORTH_KEEPING:
                _keep(context.kept, page)
        yield page
        context.progress(number, total)


def _kept(folder: Path | None, number: int) -> PageRead | None:
    if folder is None:
        return None
    with suppress(OSError, ValueError, KeyError, TypeError):  # not there, or not whole: the page is read
        return _from_json(json.loads((folder / f"{number}.json").read_text()), number)
    return None


def _keep(folder: Path, page: PageRead) -> None:
    """Write a page beside and rename it; a disk that is full only costs the time to read it again."""
    place = folder / f"{page.page.number}.json"
    draft = place.with_suffix(".draft")
    with suppress(OSError):
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(_as_json(page), file)
        draft.rename(place)


def _as_json(page: PageRead) -> dict[str, object]:
    return {
        "lines": [astuple(line) for line in page.page.lines],
        "how": page.how.name,
        "unsure": page.unsure,
        "illegible": page.illegible,
        "replaced": page.replaced,
        "pictures": page.pictures,
    }


def _from_json(values: dict[str, object], number: int) -> PageRead:
    lines = values.pop("lines")
    if not isinstance(lines, list):
        raise TypeError
    page = Page(number, tuple(Line(*line) for line in lines))
    return PageRead(page, How[str(values.pop("how"))], **values)  # type: ignore[arg-type]
