"""What a person types into a passport, checked and brought into the form in which values are compared."""

from __future__ import annotations

from study.passports.values import MAX_LABEL, MAX_VALUE, Field, Kind


class BadValue(ValueError):
    """A field cannot have this value; `message` says why, for a person."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


def checked(kind: Kind, label: str, value: str, language: str) -> Field:  # noqa: ARG001
    """Return the field that a person means; raises BadValue with a sentence for them."""
    label, value = " ".join(label.split()), " ".join(value.split())
    if not value:
        raise BadValue("Write a value, or remove the field.")
    if len(value) > MAX_VALUE:
        raise BadValue(f"That is too long: {MAX_VALUE} characters at most.")
    if len(label) > MAX_LABEL:
        raise BadValue(f"The name is too long: {MAX_LABEL} characters at most.")
    if kind == Kind.LANGUAGE and not (value.isascii() and value.isalpha() and len(value) in (2, 3)):
        raise BadValue("Write the language as its code: en, de, fr, es …")
    return Field(kind, label, value.lower() if kind == Kind.LANGUAGE else value)
