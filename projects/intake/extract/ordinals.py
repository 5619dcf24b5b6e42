"""Writes the numbers of clauses and list items in the forms that word processors know."""

from __future__ import annotations

_ROMAN = (
    *((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x")),
    *((9, "ix"), (5, "v"), (4, "iv"), (1, "i")),
)
MOST_ROMAN = 4_999
_LETTERS = 26
MOST_LETTERS = 780
"""After z come aa, bb, up to thirty letters."""


def ordinal(number: int, form: str) -> str:
    """Return a number in a form as Word names them; one that is not known, or cannot be, gives digits."""
    match form:
        case "lowerRoman" | "upperRoman" if 0 < number <= MOST_ROMAN:
            text = _roman(number)
        case "lowerLetter" | "upperLetter" if 0 < number <= MOST_LETTERS:
            text = chr(ord("a") + (number - 1) % _LETTERS) * ((number - 1) // _LETTERS + 1)
        case "decimalZero":
            text = f"{number:02}"
        case "none":
            text = ""
        case _:
            text = str(number)
    return text.upper() if form.startswith("upper") else text


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text
