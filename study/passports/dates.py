"""Reads dates as people write them in four languages; what could be two days is kept as written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from enum import Enum

from study.passports.lexicon import MONTHS

EARLIEST, LATEST = 1900, 2099
PIVOT = 69
"""Years of two digits from here on are of the last century, as in POSIX."""

_MONTH = "(?P<month>" + "|".join(sorted(map(re.escape, MONTHS), key=len, reverse=True)) + r")(?!\w)\.?"
_YEAR = r"(?P<year>(?:19|20)\d\d)(?![\d.,]?\d)"
_TIME = (
    r"(?:,? (?:at |um |à |a las )?(?:[01]?\d|2[0-3])(?::[0-5]\d|h[0-5]\d)(?::[0-5]\d)?(?: ?[ap]\.?m\.?| Uhr| h)?"
    r"|, (?:[01]\d|2[0-3])[0-5]\d(?: [A-Z]{3,4})?)?"
)
# No digit, and no number that goes on, on either side: 1.2.2024 is no part of 1.2.2024.5 or of 192.1.2.2024.
_NUMERIC = re.compile(
    r"(?<![\w.,/-])(?:(?P<iso>(?:19|20)\d\d(?P<dash>[-/.])\d\d?(?P=dash)\d\d?)(?:T\d\d:\d\d[\d:.Z+]{0,12})?"
    r"|(?P<a>\d\d?)(?P<sep>[./-]) ?(?P<b>\d\d?)(?P=sep) ?(?P<year>(?:19|20)\d\d|\d\d))"
    r"(?![\w/]|[-.,:]\d)" + _TIME
)
_DAY = r"(?<![\w.,/-])(?P<day>\d{1,2})(?:st|nd|rd|th|er|[.°º])?"
_DAY_FIRST = re.compile(rf"{_DAY}[ -](?:of |de )?{_MONTH},?[ -](?:de |del )?{_YEAR}{_TIME}", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"(?<!\w){_MONTH} (?P<day>\d{{1,2}})(?:st|nd|rd|th)?,? {_YEAR}{_TIME}", re.IGNORECASE)
_MONTH_ONLY = re.compile(
    rf"(?<!\w){_MONTH},? (?:de |del )?{_YEAR}|(?<![\w./-])(?P<number>\d\d)/{_YEAR.replace('year', 'y')}", re.IGNORECASE
)


# No date without a number that may be its year: most lines are done with after this.
_MAYBE = re.compile(r"(?:19|20)\d\d|\d[./]\d\d(?!\d)")


class Order(Enum):
    """In which order day and month stand in a date of numbers."""

    DAY_FIRST = "day first"
    MONTH_FIRST = "month first"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Spotted:
    """A date in a text from `start` to `end`; `iso` is empty where its order is not known."""

    value: str
    iso: str
    start: int
    end: int
    numeric: bool = False


def spot(text: str, order: Order) -> list[Spotted]:
    """Return the dates in a text, in their order. Years alone are no dates."""
    if not _MAYBE.search(text):
        return []
    spotted = [*_numeric(text, order), *_worded(text, _DAY_FIRST), *_worded(text, _MONTH_FIRST)]
    return sorted(spotted, key=lambda date_: date_.start)


def month_at_start(text: str) -> Spotted | None:
    """Return the month that a text begins with, as in 'March 2024' or '03/2024', which counts only beside a label."""
    match = _MONTH_ONLY.match(text)
    if not match:
        return None
    month = int(match["number"]) if match["number"] else MONTHS[match["month"].lower()]
    year = match["y"] if match["number"] else match["year"]
    return Spotted(match[0], f"{year}-{month:02}", 0, match.end()) if 1 <= month <= 12 else None


def order_of(texts: Iterable[str], language: str) -> Order:
    """Tell in which order a document writes day and month where they are divided by a slash or a dash.

    Outside English the day comes first. In English it depends on the country, and the document must show it: by a
    date that can only be read one way, or by the order in which it writes dates in words. Signs of both, or none: the
    order is not known.
    """
    if language not in ("en", ""):
        return Order.DAY_FIRST
    day_first = month_first = False
    for text in filter(_MAYBE.search, texts):
        for match in _NUMERIC.finditer(text):
            if match["a"] and match["sep"] != ".":
                day_first |= int(match["a"]) > 12
                month_first |= int(match["b"]) > 12
        day_first |= _DAY_FIRST.search(text) is not None
        month_first |= _MONTH_FIRST.search(text) is not None
    if day_first == month_first:
        return Order.UNKNOWN
    return Order.DAY_FIRST if day_first else Order.MONTH_FIRST


def _numeric(text: str, order: Order) -> Iterator[Spotted]:
    for match in _NUMERIC.finditer(text):
        if match["iso"]:
            year, month, day = (int(part) for part in re.split("[-/.]", match["iso"]))
            iso, possible = _iso(year, month, day), bool(_iso(year, month, day))
        else:
            iso, possible = _resolved(match, order)
        if possible:
            yield Spotted(match[0], iso, match.start(), match.end(), numeric=True)


def _resolved(match: re.Match[str], order: Order) -> tuple[str, bool]:
    """Return the ISO date of numbers, '' where two days are meant equally well, and whether it is a date at all."""
    first, second, year = int(match["a"]), int(match["b"]), _full_year(match["year"])
    if len(match["year"]) == 2 and (match["sep"] == "-" or len(match["a"] + match["b"]) < 4):
        return "", False  # as likely a number of a chapter or a version
    day_first, month_first = _iso(year, second, first), _iso(year, first, second)
    if match["sep"] == "." or order == Order.DAY_FIRST:
        return day_first, bool(day_first)
    if order == Order.MONTH_FIRST:
        return month_first, bool(month_first)
    sure = day_first == month_first or not (day_first and month_first)
    return (day_first or month_first) if sure else "", bool(day_first or month_first)


def _worded(text: str, pattern: re.Pattern[str]) -> Iterator[Spotted]:
    for match in pattern.finditer(text):
        iso = _iso(int(match["year"]), MONTHS[match["month"].lower()], int(match["day"]))
        if iso:
            yield Spotted(match[0], iso, match.start(), match.end())


def _full_year(year: str) -> int:
    if len(year) == 4:
        return int(year)
    return int(year) + (1900 if int(year) >= PIVOT else 2000)


def _iso(year: int, month: int, day: int) -> str:
    try:
        return date(year, month, day).isoformat() if EARLIEST <= year <= LATEST else ""
    except ValueError:
        return ""
