"""Showing values of cells the way a spreadsheet shows them, by their number formats."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation, localcontext
from functools import lru_cache

Value = str | bool | int | float | datetime | date | time | timedelta | None

# One piece of a format: quoted or escaped text, a bracket, a space as wide as a sign, a fill, placeholders, any sign.
_PIECE = re.compile(
    r"""
    "(?P<quoted>[^"]*)"? | \\(?P<escaped>.) | \[(?P<bracket>[^\]]*)\] | _(?P<width>.) | \*(?P<fill>.)
    | (?P<general>General) | (?P<digits>[0#?][0#?,]*(?:\.[0#?]*)?,* | \.[0#?]+) | (?P<sign>.)
    """,
    re.DOTALL | re.IGNORECASE | re.VERBOSE,
)
_CURRENCY = re.compile(r"\$([^-]*)")
_CONDITION = re.compile(r"[<>=]")
_ELAPSED = re.compile(r"h+|m+|s+", re.IGNORECASE)
_DIGITS = 15
"""Of a floating-point number that mean something; spreadsheets show no more."""


def displayed(value: Value, number_format: str) -> str:
    """Return a value as text; dates as 2023-03-15, times as 14:30, whatever the order of their parts in the format."""
    match value:
        case None:
            return ""
        case bool():
            return "TRUE" if value else "FALSE"
        case int() | float():
            return general(value) if number_format == "General" else _number(value, number_format)
        case timedelta():
            return _elapsed(value, number_format)
        case datetime() | date() | time():
            return _moment(value, number_format)
        case _:
            return str(value)


def general(value: float) -> str:
    """Return a number with all the digits that mean something and no others."""
    if isinstance(value, int) or (value.is_integer() and abs(value) < 10**_DIGITS):
        return str(int(value))
    return f"{value:.{_DIGITS}g}".replace("e", "E")


def _number(value: float, number_format: str) -> str:
    sections = _sections(number_format)
    if any(kind == "bracket" and _CONDITION.match(text) for section in sections for kind, text in section):
        return general(value)
    section, negated = _section(sections, value)
    layout = [(kind, text) for kind, text in section if kind != "fill"]
    if not any(kind in {"digits", "general"} for kind, _ in layout):
        literal = "".join(map(_literal, layout)).strip()
        # A format of words stands for a value ('-' for zero), but an empty one would hide it.
        return literal if literal and not _is_exotic(layout) else general(value)
    if _is_exotic(layout):
        return general(value)
    try:
        shown = _laid_out(abs(value) if negated else value, layout)
    except InvalidOperation:  # infinite, or beyond what a format can hold
        return general(value)
    # '#' shows nothing of 0.25: the number is worth more than its format.
    return shown if shown.strip() or not value else general(value)


@lru_cache(maxsize=512)
def _sections(number_format: str) -> list[list[tuple[str, str]]]:
    """Return the pieces of a format, (kind, text), in up to four sections."""
    sections: list[list[tuple[str, str]]] = [[]]
    for match in _PIECE.finditer(number_format):
        kind = match.lastgroup or "sign"
        text = match.group(kind)
        if kind == "sign" and text == ";":
            sections.append([])
        else:
            sections[-1].append((kind, text))
    return sections


def _section(sections: list[list[tuple[str, str]]], value: float) -> tuple[list[tuple[str, str]], bool]:
    """Return the section for a value's sign, and whether it shows that sign itself."""
    if value < 0 and len(sections) > 1:
        return sections[1], True
    if value == 0 and len(sections) > 2:
        return sections[2], False
    return sections[0], False


def _is_exotic(layout: list[tuple[str, str]]) -> bool:
    """Tell fractions, powers of ten and dates, for which the value itself says more than an attempt at its layout."""
    signs = {text.lower() for kind, text in layout if kind == "sign"}
    return bool(signs & {"/", "e", "y", "d", "h", "m", "s", "@"})


def _literal(piece: tuple[str, str]) -> str:
    kind, text = piece
    match kind:
        case "bracket":
            currency = _CURRENCY.match(text)
            return currency.group(1) if currency else ""
        case "width":
            return " "
        case "digits" | "general" | "fill":
            return ""
        case _:
            return text


def _laid_out(value: float, layout: list[tuple[str, str]]) -> str:
    groups = [text for kind, text in layout if kind == "digits"]
    percent = sum(text == "%" for kind, text in layout if kind == "sign")
    number = Decimal(general(value)) * 100**percent
    sign = "-" if number < 0 else ""
    shown = _digit_groups(abs(number), groups) if groups else []
    if not any(character in "123456789" for group in shown for character in group) and groups:
        sign = ""  # rounded to zero
    parts = []
    for piece in layout:
        if piece[0] == "digits":
            parts.append(shown.pop(0))
        elif piece[0] == "general":
            parts.append(general(abs(value)))
        else:
            parts.append(_literal(piece))
    return sign + " ".join("".join(parts).split())


def _digit_groups(number: Decimal, groups: list[str]) -> list[str]:
    """Return what stands in the place of each run of placeholders; more than one is a pattern (000-00-0000)."""
    if len(groups) == 1:
        return [_one_group(number, groups[0])]
    lengths = [len(group) for group in groups]
    digits = str(number.quantize(Decimal(1), ROUND_HALF_UP)).zfill(sum(lengths))
    cut = []
    for length in reversed(lengths[1:]):
        cut.append(digits[-length:])
        digits = digits[:-length]
    return [digits, *reversed(cut)]


def _one_group(number: Decimal, group: str) -> str:
    whole, _, fraction = group.rstrip(",").partition(".")
    number = number.scaleb(-3 * (len(group) - len(group.rstrip(","))))
    with localcontext() as context:
        context.prec = 400
        rounded = number.quantize(Decimal(1).scaleb(-len(fraction)), ROUND_HALF_UP)
        text = f"{rounded:,f}" if "," in whole else f"{rounded:f}"
    digits, _, decimals = text.partition(".")
    needed = fraction.rfind("0") + 1
    decimals = decimals[:needed] + decimals[needed:].rstrip("0")
    least = whole.count("0")
    digits = "" if digits == "0" and not least else digits.zfill(least)
    # A point without decimals is shown only where the format says so ('0.').
    return f"{digits}.{decimals}" if decimals else digits


def _moment(value: datetime | date | time, number_format: str) -> str:
    signs = "".join(text for kind, text in _sections(number_format)[0] if kind == "sign").lower()
    has_time = "h" in signs or "s" in signs
    if isinstance(value, time):
        return _clock(datetime.combine(date.min, value), signs)
    if not isinstance(value, datetime):
        return value.isoformat()
    moment = value + timedelta(microseconds=500_000) if value.microsecond >= 500_000 else value
    if has_time and not any(sign in signs for sign in "yd"):
        return _clock(moment, signs)
    day = _day(moment, signs)
    return f"{day} {_clock(moment, signs)}" if has_time else day


def _day(moment: datetime, signs: str) -> str:
    if "y" in signs and "d" not in signs:
        return f"{moment:%Y-%m}" if "m" in signs else f"{moment:%Y}"
    return moment.date().isoformat()


def _clock(moment: datetime, signs: str) -> str:
    return f"{moment:%H:%M:%S}" if "s" in signs or moment.second else f"{moment:%H:%M}"


def _elapsed(value: timedelta, number_format: str) -> str:
    """Return a duration in the unit that its format counts in: [h]:mm is hours, however many."""
    seconds = round(abs(value).total_seconds())
    sign = "-" if value < timedelta() and seconds else ""
    hours, minutes = divmod(seconds // 60, 60)
    brackets = [
        text[0].lower() for kind, text in _sections(number_format)[0] if kind == "bracket" and _ELAPSED.fullmatch(text)
    ]
    unit = brackets[0] if brackets else "h"
    if unit == "s":
        return f"{sign}{seconds}"
    if unit == "m":
        return f"{sign}{seconds // 60}:{seconds % 60:02}"
    return f"{sign}{hours}:{minutes:02}" + (f":{seconds % 60:02}" if seconds % 60 else "")
