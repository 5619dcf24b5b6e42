"""Says in sentences what was read of a document and what was not."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

LISTED = 12
"""Page numbers that a sentence names."""


def sentences(pages: int | None, report: Mapping[str, Any]) -> list[str]:
    """Return the reading report of a document that was read; `report` is `extract.Report` as it was stored."""
    ocr, unreadable = _numbers(report, "ocr"), _numbers(report, "unreadable")
    said = []
    if pages:
        said.append(_pages_read(pages, len(unreadable)))
    if ocr:
        said.append(f"{_the_pages(ocr)} read by text recognition, since {_they(ocr)} no text of {_their(ocr)} own.")
    if unreadable:
        said.append(f"{_the_pages(unreadable)} not read: no text could be made out.")
    if tables := int(report.get("tables", 0)):
        said.append(f"{tables:,} table{_s(tables)} kept with rows and columns.")
    if replaced := int(report.get("replaced", 0)):
        said.append(f"{replaced:,} character{_s(replaced)} could not be decoded and {_is(replaced)} shown as �.")
    return said


def left_out(report: Mapping[str, Any]) -> list[str]:
    """Return what is in the file and not in its text by design, in sentences."""
    return [str(sentence) for sentence in report.get("left_out", [])]


def _pages_read(pages: int, unreadable: int) -> str:
    if not unreadable:
        return "The one page was read." if pages == 1 else f"All {pages:,} pages were read."
    return f"{pages - unreadable:,} of {pages:,} page{_s(pages)} were read."


def _numbers(report: Mapping[str, Any], key: str) -> list[int]:
    return [int(number) for number in report.get(key, [])]


def _the_pages(numbers: Sequence[int]) -> str:
    """Return 'Page 3 was', 'Pages 3 and 7 were' or 'Pages 1, 2 … and 40 more were'."""
    if len(numbers) == 1:
        return f"Page {numbers[0]} was"
    listed = [str(number) for number in numbers[:LISTED]]
    if len(numbers) > LISTED:
        return f"Pages {', '.join(listed)} and {len(numbers) - LISTED} more were"
    return f"Pages {', '.join(listed[:-1])} and {listed[-1]} were"


def _they(numbers: Sequence[int]) -> str:
    return "it has" if len(numbers) == 1 else "they have"


def _their(numbers: Sequence[int]) -> str:
    return "its" if len(numbers) == 1 else "their"


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def _is(count: int) -> str:
    return "is" if count == 1 else "are"
