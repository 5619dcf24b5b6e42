"""A passport in the words that the model is given: about 200 tokens, the most telling first."""

from __future__ import annotations

from study.passports.values import Passport


def for_model(passport: Passport) -> str:
    """Return the passport as text, without the document's name; the same passport always gives the same text."""
    return "\n".join(f"{field.label or field.kind.capitalize()}: {field.value}" for field in passport.fields)
