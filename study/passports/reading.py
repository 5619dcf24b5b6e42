"""What a person types into a passport, checked and brought into the form in which values are compared."""

from __future__ import annotations

from study.passports import amounts, dates, identifiers
from study.passports.values import MAX_LABEL, MAX_VALUE, Field, Kind

MAX_TYPE = 60


class BadValue(ValueError):
    """A field cannot have this value; `message` says why, for a person."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


def checked(kind: Kind, label: str, value: str, language: str) -> Field:
    """Return the field that a person means, in a document of this language.

    Raises BadValue with a sentence for them.
    """
    label, value = " ".join(label.split()), " ".join(value.split())
    if not value:
        raise BadValue("Write a value, or remove the field.")
    if len(value) > (MAX_TYPE if kind == Kind.TYPE else MAX_VALUE):
        raise BadValue(f"That is too long: {MAX_TYPE if kind == Kind.TYPE else MAX_VALUE} characters at most.")
    if len(label) > MAX_LABEL:
        raise BadValue(f"The name is too long: {MAX_LABEL} characters at most.")
    if kind == Kind.LANGUAGE:
        value = value.lower()
        if not (value.isascii() and value.isalpha() and len(value) in (2, 3)):
            raise BadValue("Write the language as its code: en, de, fr, es …")
    return Field(kind, label, value, normalised(kind, value, language))


def normalised(kind: Kind, value: str, language: str) -> str:
    """Return a value in the form for comparing, as `find` would; '' where it has no certain reading."""
    if kind == Kind.DATE:
        found = dates.spot(value, dates.order_of([value], language))
        return found[0].iso if found else ""
    if kind == Kind.AMOUNT:
        custom = amounts.custom_of(value, language)
        amount = next(iter(amounts.spot(value, custom)), None) or amounts.plain_at_start(value, grouped=True)
        return amount.normalised if amount else ""
    return identifiers.compact(value) if kind == Kind.IDENTIFIER else ""
