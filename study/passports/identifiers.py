"""Reads identifiers: the token after a label, and forms that are recognised by themselves because they check out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from study.passports.checks import is_iban, is_isbn, is_spanish_tax_id, is_vat_id

MAX_IDENTIFIER = 40

# Letters, digits and marks. Numbers in groups ('812 345 678 00015') are taken whole, unless the next group is a date's.
_TOKEN = re.compile(
    r"(?:N[or]\.? ?|[Nn][°º]\s?|[#№]\s?)?"
    r"(?P<id>(?:[A-Z]{1,4} (?=\d))?[A-Za-z0-9][\w./#+:-]{0,39}"
    r"(?: (?=[A-Z]{0,4}\d)[A-Z0-9]{2,6}(?![\w./:-])(?! [^\W\d_]{3})){0,8})"
)
_PLATE = re.compile(r"[A-Z0-9][A-Z0-9-]{0,9}(?: [A-Z0-9-]{1,5}){0,2}(?!\w)")
_SPANISH = re.compile(r"(?<!\w)(?P<name>DNI|NIE|NIF|CIF)\W{1,4}(?P<id>[A-Z0-9][\d.-]{6,11}[A-Z0-9])(?!\w)")
_COURT = re.compile(r"\d{1,4} [A-Z][A-Za-z]{0,3} \d{1,6}/\d{2,4}")
_IBAN = re.compile(r"(?<![A-Z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![A-Z0-9])")
_VAT = re.compile(
    r"(?<![A-Z0-9])(?:DE ?\d{3} ?\d{3} ?\d{3}|FR ?\d{2} ?\d{3} ?\d{3} ?\d{3}|ATU ?\d{8}|ES ?[A-Z0-9]\d{7}[A-Z0-9])"
    r"(?![A-Z0-9])"
)
_ISBN = re.compile(r"(?<![\w-])97[89][- ]?\d{1,5}[- ]?\d{1,7}[- ]?\d{1,7}[- ]?\d(?![\w-])")
_DOI = re.compile(r"(?<!\w)10\.\d{4,9}/[\w.()/:-]{2,40}(?<![.)])")
_BIC = re.compile(r"[A-Z]{6}[A-Z0-9]{2}(?:[A-Z0-9]{3})?")
_NTSB = re.compile(r"(?<![A-Z0-9])[A-Z]{3}\d{2}[A-Z]{2}\d{3}[A-Z]?(?![A-Z0-9])")
_TAIL_NUMBER = re.compile(r"(?<![A-Z0-9-])N[1-9](?:\d{0,4}|\d{0,3}[A-HJ-NP-Z]|\d{0,2}[A-HJ-NP-Z]{2})(?![A-Z0-9-])")
# Marks of other countries are as short as abbreviations: only where the text says that they are registrations.
_MARK = r"(?P<mark>[A-Z]{1,2}-?[A-Z]{3}|[A-Z]{1,2}-?\d{3,5}[A-Z]?)(?![\w-])"
_MARK_AFTER = re.compile(", " + _MARK)
_REGISTERED = re.compile(r"[Rr]egist(?:ered|ration)(?: (?:number|mark|as|was|is|no\.?)){0,3}(?:, |: | )" + _MARK)
AVIATION = re.compile(r"\b(?:aircraft|airplane|aeroplane|aviation|helicopter|pilot)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Spotted:
    """An identifier in a text, under the name that its form has where the document gives none."""

    value: str
    concept: str
    name: str
    weight: int


@dataclass(frozen=True)
class _Form:
    """A form that is recognised without a label; where `name` is '' the pattern finds the name beside the `id`."""

    name: str
    concept: str
    weight: int
    pattern: re.Pattern[str]
    check: Callable[[str], bool]


_FORMS = (
    _Form("IBAN", "iban", 50, _IBAN, is_iban),
    _Form("VAT ID", "vat-id", 54, _VAT, is_vat_id),
    _Form("", "identity-document", 48, _SPANISH, is_spanish_tax_id),
    _Form("ISBN", "book", 70, _ISBN, is_isbn),
    _Form("DOI", "book", 70, _DOI, bool),
)


def compact(text: str) -> str:
    """Return an identifier as it is compared: capitals, without spaces."""
    return "".join(text.split()).upper()


def after_label(value: str, concept: str) -> str:
    """Return the identifier that a label's value begins with, '' if there is none: it must have a digit."""
    if concept in ("iban", "bic"):
        match = (_IBAN if concept == "iban" else _BIC).match(value)
        return match[0] if match and (concept == "bic" or is_iban(compact(match[0]))) else ""
    match = _COURT.match(value) or (_PLATE.match(value) if concept == "registration" else None)
    if match is None:
        match = _TOKEN.match(value)
        token = match["id"].rstrip(".:-/,+") if match else ""
    else:
        token = match[0]
    return token[:MAX_IDENTIFIER] if any(char.isdigit() for char in token) else ""


def spot(text: str, *, aviation: bool) -> Iterator[Spotted]:
    """Return the identifiers that are recognised by their form; aircraft's marks only in texts about aviation."""
    if any(map(str.isdigit, text)):
        for form in _FORMS:
            for match in form.pattern.finditer(text):
                value = match[0] if form.name else match["id"]
                if form.check(re.sub("[ .-]", "", value)):
                    yield Spotted(value, form.concept, form.name or match["name"], form.weight)
    if aviation:
        yield from _of_aviation(text)


def _of_aviation(text: str) -> Iterator[Spotted]:
    for match in _NTSB.finditer(text):
        yield Spotted(match[0], "accident-number", "NTSB number", 94)
    for match in _TAIL_NUMBER.finditer(text):
        if len(match[0]) > 3:
            yield Spotted(match[0], "registration", "Registration", 88)
    for match in _REGISTERED.finditer(text):
        yield Spotted(match["mark"], "registration", "Registration", 88)


def mark_of(text: str, aircraft: str) -> str:
    """Return the registration behind the aircraft's type, as in 'a Cessna 210, XB-GTS,'; '' if none is there."""
    place = text.find(aircraft) if aircraft else -1
    match = _MARK_AFTER.match(text, place + len(aircraft)) if place >= 0 else None
    return match["mark"] if match else ""
