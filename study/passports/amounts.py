"""Reads amounts of money as people write them: 1.234,56 €, 1 234,56 €, $1,234.56, CHF 1'234.–."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

_SYMBOLS = {
    "€": "EUR", "euro": "EUR", "euros": "EUR", "eur": "EUR", "£": "GBP", "gbp": "GBP", "pounds": "GBP", "us$": "USD",
    "usd": "USD", "u.s. dollars": "USD", "us dollars": "USD", "dollars": "$", "dollar": "$", "$": "$", "chf": "CHF",
    "sfr.": "CHF", "francs suisses": "CHF", "cad": "CAD", "ca$": "CAD", "c$": "CAD", "aud": "AUD", "a$": "AUD",
    "mxn": "MXN", "¥": "JPY", "jpy": "JPY", "cny": "CNY", "pln": "PLN", "zł": "PLN", "sek": "SEK", "nok": "NOK",
    "dkk": "DKK", "czk": "CZK", "inr": "INR", "₹": "INR", "brl": "BRL", "r$": "BRL",
}  # fmt: skip
_SCALES = {
    "million": 10**6, "millions": 10**6, "millionen": 10**6, "mio.": 10**6, "mio": 10**6, "millón": 10**6,
    "millones": 10**6, "billion": 10**9, "milliarden": 10**9, "mrd.": 10**9, "mrd": 10**9, "milliard": 10**9,
    "milliards": 10**9,
}  # fmt: skip
OTHER_DOLLARS = ("cad", "ca$", "aud", "a$", "nzd", "sgd", "hkd", "mxn", "canadian dollar", "australian dollar")
SPACED = ("", "fr", "es", "pt", "pl", "cs", "sv", "da")
"""Languages whose numbers may be grouped by plain spaces; elsewhere '3 450,00 €' is three pieces at 450."""

_NARROW = "\u00a0\u202f\u2009"
_CURRENCY = "|".join(
    re.escape(name) + (r"(?!\w)" if name[-1].isalpha() else "") for name in sorted(_SYMBOLS, key=len, reverse=True)
)
_SCALE = "|".join(re.escape(name) + r"(?!\w)" for name in sorted(_SCALES, key=len, reverse=True))
# Without a currency only a number that is written like money: two digits after the comma.
_PLAIN = re.compile(
    rf"(?P<minus>[-−–])?(?P<number>\d{{1,3}}(?:[.,'’ {_NARROW}]\d{{3}}){{0,4}}[.,]\d\d|\d{{1,9}}[.,]\d\d)"
    r"(?![\w%]|[.,:/]\d|\s?%)"
)
_GROUPED = re.compile(r"(?P<minus>[-−–])?(?P<number>\d{1,3}(?:[.,'’]\d{3}){1,4}|\d{2,9})(?![\w%]|[.,:/-]\d|\s?[%\w/])")


def _patterns(groups: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of an amount after its currency and before it; `groups` may divide thousands."""
    number = rf"(?:\d{{1,3}}(?:[{groups}]\d{{3}}(?!\d)){{1,4}}|\d{{1,9}})(?:[.,]\d{{1,2}}(?!\d))?"
    # '950,- €' and 'CHF 40.–': no cents.
    tail = rf"(?P<number>{number})(?:[.,]?[-–—]{{1,2}}(?!\w))?(?:[ {_NARROW}]?(?P<scale>{_SCALE}))?"
    before = rf"(?<![\w$€£])(?P<minus>[-−–])?(?P<currency>{_CURRENCY})[ {_NARROW}]?{tail}(?![\w%]|[.,]\d)"
    after = rf"(?<![\w.,/:'’-])(?P<minus>[-−–])?{tail}[ {_NARROW}]?(?P<currency>{_CURRENCY})(?!\s?\d)"
    return re.compile(before, re.IGNORECASE), re.compile(after, re.IGNORECASE)


_GROUPED_BY_SPACES = _patterns(f".,'’ {_NARROW}")
_GROUPED_BY_MARKS = _patterns(f".,'’{_NARROW}")


@dataclass(frozen=True)
class Sum:
    """An amount in a text from `start` to `end`; `currency` is '' where none is stated."""

    value: str
    number: Decimal
    currency: str
    start: int
    end: int

    @property
    def normalised(self) -> str:
        return f"{self.number:.2f} {self.currency}".strip()


@dataclass(frozen=True)
class Custom:
    """How a document writes money: whether a bare '$' is the American one, and whether spaces divide thousands."""

    american: bool = True
    spaced: bool = True


def custom_of(text: str, language: str) -> Custom:
    """Tell how a document writes money; a dollar is American unless the document gives reason for doubt."""
    lowered = text.lower()
    american = language in ("en", "") and not any(name in lowered for name in OTHER_DOLLARS)
    return Custom(american, language in SPACED)


def spot(text: str, custom: Custom) -> list[Sum]:
    """Return the amounts with a currency in a text, in their order."""
    if not any(map(str.isdigit, text)):
        return []
    patterns = _GROUPED_BY_SPACES if custom.spaced else _GROUPED_BY_MARKS
    sums = [amount for pattern in patterns for amount in _read(text, pattern, custom)]
    apart: list[Sum] = []
    # 'EUR 5 €' is one amount, read from the left.
    for amount in sorted(sums, key=lambda sum_: (sum_.start, -sum_.end)):
        if not apart or amount.start >= apart[-1].end:
            apart.append(amount)
    return apart


def plain_at_start(text: str, *, grouped: bool = False) -> Sum | None:
    """Return the number that a text begins with as a sum without currency, for a place whose label says that it is one.

    It must have cents, or with `grouped` be any whole number that nothing follows.
    """
    match = _PLAIN.match(text) or (_GROUPED.match(text) if grouped else None)
    if not match:
        return None
    return Sum(match[0], _signed(match, number_of(match["number"])), "", match.start(), match.end())


def number_of(written: str) -> Decimal:
    """Return the number that is meant: the last mark divides the cents if one or two digits follow it."""
    digits = re.sub("['’\\s\u00a0\u202f\u2009]", "", written)
    mark = max(digits.rfind("."), digits.rfind(","))
    cents = digits[mark + 1 :] if mark >= 0 else ""
    if len(cents) in (1, 2):
        whole = re.sub("[.,]", "", digits[:mark])
        return Decimal(f"{whole}.{cents}")
    return Decimal(re.sub("[.,]", "", digits))


def _read(text: str, pattern: re.Pattern[str], custom: Custom) -> Iterator[Sum]:
    for match in pattern.finditer(text):
        number = number_of(match["number"]) * _SCALES.get((match["scale"] or "").lower(), 1)
        currency = _SYMBOLS[match["currency"].lower()]
        currency = "USD" if currency == "$" and custom.american else currency
        yield Sum(match[0].strip(), _signed(match, number), currency, match.start(), match.end())


def _signed(match: re.Match[str], number: Decimal) -> Decimal:
    return -number if match["minus"] else number
