"""Shows the passport of a document as rows that a person can read and correct."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from study.passports import service
from study.passports.values import SINGLE, Entry, Field, Kind, Passport, Source

KINDS = {
    Kind.TYPE: "Type",
    Kind.LANGUAGE: "Language",
    Kind.PARTY: "Party",
    Kind.SUBJECT: "Subject",
    Kind.PLACE: "Place",
    Kind.DATE: "Date",
    Kind.AMOUNT: "Amount",
    Kind.IDENTIFIER: "Identifier",
}
ADDED = [(kind.value, name) for kind, name in KINDS.items() if kind not in SINGLE]
"""Kinds that a person can add, as (value, name)."""

LANGUAGES = {"de": "German", "en": "English", "es": "Spanish", "fr": "French", "it": "Italian", "nl": "Dutch"}


@dataclass(frozen=True)
class Row:
    """A field as it is shown. `field` names it in addresses; `value` is what is edited, `shown` how it reads.

    `corrected`: a person's word; `added`: of those, one that stands for nothing found.
    """

    field: str
    name: str
    value: str
    shown: str
    page: int | None
    corrected: bool
    added: bool
    removable: bool


@dataclass(frozen=True)
class Card:
    """A passport as it is shown; `removed` are rows that a person took away and can put back."""

    rows: tuple[Row, ...]
    removed: tuple[Row, ...]
    contents: tuple[Entry, ...]


def card_of(document_id: int) -> Card | None:
    """Return the passport of a document for a page; None while there is none."""
    passport = service.passport_of(document_id)
    return None if passport is None else card(passport)


def card(passport: Passport) -> Card:
    """Return a passport's rows, those that there is one of first."""
    return Card(
        rows=(*_single_rows(passport), *map(_row, passport.fields)),
        removed=tuple(map(_row, passport.removed)),
        contents=passport.contents,
    )


def _single_rows(passport: Passport) -> Iterator[Row]:
    for kind, value, source in (
        (Kind.TYPE, passport.type, passport.type_source),
        (Kind.LANGUAGE, passport.language, passport.language_source),
    ):
        shown = LANGUAGES.get(value, value) if kind == Kind.LANGUAGE else value.capitalize()
        corrected = source == Source.CORRECTED
        yield Row(kind.value, KINDS[kind], value, shown or "not known", None, corrected, added=False, removable=False)


def _row(field: Field) -> Row:
    return Row(
        field=str(field.id),
        name=field.label or KINDS[field.kind],
        value=field.value,
        shown=field.value,
        page=field.page,
        corrected=field.source == Source.CORRECTED,
        added=field.source == Source.CORRECTED and not field.replaces,
        removable=True,
    )
