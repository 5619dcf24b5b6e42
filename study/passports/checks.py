"""Checks that tell real identifiers from numbers that only look like them: IBAN, VAT and tax numbers, ISBN."""

from __future__ import annotations

import re
from collections.abc import Callable

# Lengths by country, from the IBAN registry.
_IBAN_LENGTHS = {
    "AD": 24, "AE": 23, "AT": 20, "BE": 16, "BG": 22, "CH": 21, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "EE": 20,
    "ES": 24, "FI": 18, "FR": 27, "GB": 22, "GI": 23, "GR": 27, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26,
    "IT": 27, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MT": 31, "NL": 18, "NO": 15, "PL": 28, "PT": 25,
    "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TR": 26, "UA": 29,
}  # fmt: skip
_NIF_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_CIF_LETTERS = "JABCDEFGHI"


def is_iban(text: str) -> bool:
    """Tell whether capitals and digits without spaces are an IBAN: right length, remainder 1 modulo 97 (ISO 13616)."""
    if _IBAN_LENGTHS.get(text[:2]) != len(text) or not re.fullmatch("[A-Z]{2}[0-9]{2}[A-Z0-9]+", text):
        return False
    return int("".join(str(int(char, 36)) for char in text[4:] + text[:4])) % 97 == 1


def is_vat_id(text: str) -> bool:
    """Tell whether capitals and digits without spaces are a VAT number of a country whose check we know."""
    check = _VAT_CHECKS.get(text[:2])
    return check is not None and check(text[2:])


def is_spanish_tax_id(text: str) -> bool:
    """Tell whether capitals and digits without spaces are a DNI, NIE or company's NIF, by their last character."""
    person = re.fullmatch("([XYZ]?)([0-9]{7,8})([A-Z])", text)
    if person and len(text) == 9:
        number = int(str("XYZ".index(person[1]) if person[1] else "") + person[2])
        return _NIF_LETTERS[number % 23] == person[3]
    company = re.fullmatch("[ABCDEFGHJNPQRSUVW]([0-9]{7})([0-9A-J])", text)
    if not company:
        return False
    digits = [int(char) for char in company[1]]
    odd = sum(sum(divmod(2 * digit, 10)) for digit in digits[::2])
    check = -(odd + sum(digits[1::2])) % 10
    return company[2] in (str(check), _CIF_LETTERS[check])


def is_isbn(text: str) -> bool:
    """Tell whether digits without dashes are an ISBN of 13 or 10 digits."""
    if re.fullmatch("97[89][0-9]{10}", text):
        return sum(int(char) * (1 + 2 * (index % 2)) for index, char in enumerate(text)) % 10 == 0
    if re.fullmatch("[0-9]{9}[0-9X]", text):
        digits = [10 if char == "X" else int(char) for char in text]
        return sum(digit * (10 - index) for index, digit in enumerate(digits)) % 11 == 0
    return False


def _german(digits: str) -> bool:
    """ISO 7064, MOD 11,10."""
    if not re.fullmatch("[1-9][0-9]{8}", digits):
        return False
    product = 10
    for char in digits[:8]:
        product = 2 * ((int(char) + product) % 10 or 10) % 11
    return (11 - product) % 10 == int(digits[8])


def _french(text: str) -> bool:
    """Two digits that check a SIREN, which has a Luhn digit itself."""
    if not re.fullmatch("[0-9]{11}", text) or not _luhn(text[2:]):
        return False
    return int(text[:2]) == (12 + 3 * (int(text[2:]) % 97)) % 97


def _austrian(text: str) -> bool:
    if not re.fullmatch("U[0-9]{8}", text):
        return False
    digits = [int(char) for char in text[1:]]
    even = sum(sum(divmod(2 * digit, 10)) for digit in digits[1:7:2])
    return (10 - (sum(digits[0:7:2]) + even + 4) % 10) % 10 == digits[7]


def _luhn(digits: str) -> bool:
    return sum(sum(divmod(int(char) * (1 + index % 2), 10)) for index, char in enumerate(reversed(digits))) % 10 == 0


_VAT_CHECKS: dict[str, Callable[[str], bool]] = {
    "DE": _german,
    "FR": _french,
    "AT": _austrian,
    "ES": is_spanish_tax_id,
}
