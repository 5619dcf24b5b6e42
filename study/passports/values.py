"""The values that passports are made of."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol


class Kind(StrEnum):
    """What a field says about its document. TYPE and LANGUAGE are single; a document may have many of the others."""

    TYPE = "type"
    LANGUAGE = "language"
    PARTY = "party"
    SUBJECT = "subject"
    PLACE = "place"
    DATE = "date"
    AMOUNT = "amount"
    IDENTIFIER = "identifier"


class Source(StrEnum):
    """Where a field comes from. CORRECTED is a person's word, a new field included; REMOVED is one they took away."""

    FOUND = "found"
    CORRECTED = "corrected"
    REMOVED = "removed"


UNKNOWN_TYPE = "document"
SINGLE = (Kind.TYPE, Kind.LANGUAGE)
MAX_LABEL = 80
MAX_VALUE = 300


class Section(Protocol):
    """A stretch of text under its heading path; a form feed in the text is a page break. Pages count from 1."""

    @property
    def heading(self) -> tuple[str, ...]: ...
    @property
    def page_start(self) -> int | None: ...
    @property
    def text(self) -> str: ...


@dataclass(frozen=True)
class Field:
    """One thing known about a document.

    `label` is what the document calls it ('Monthly rent'), empty where it does not say. `value` is as written;
    `normalised` is the same for comparing, empty where there is no certain reading: ISO 8601 for dates, '950.00 EUR'
    for amounts (the code is left out where no currency is stated), capitals without spaces for identifiers.
    `id` is the row's, None before it is stored. `replaces` is the identity of the found value that a person's word
    stands for, empty for what a person added.
    """

    kind: Kind
    label: str
    value: str
    normalised: str = ""
    page: int | None = None
    source: Source = Source.FOUND
    id: int | None = None
    replaces: str = ""

    @property
    def identity(self) -> str:
        """Return what tells two values of one kind and label apart, however they are spelled."""
        return (self.normalised or " ".join(self.value.split()).casefold())[:MAX_VALUE]


@dataclass(frozen=True)
class Entry:
    """A line of the table of contents; `depth` is 1 for the outermost headings."""

    text: str
    page: int | None = None
    depth: int = 1


@dataclass(frozen=True)
class Found:
    """What the rules find in a document: fields with the most telling first, TYPE and LANGUAGE among them."""

    fields: tuple[Field, ...] = ()
    contents: tuple[Entry, ...] = ()
    pages: int | None = None

    @property
    def type(self) -> str:
        return single(self.fields, Kind.TYPE)

    @property
    def language(self) -> str:
        return single(self.fields, Kind.LANGUAGE)


@dataclass(frozen=True)
class Passport:
    """What is known about a stored document: what was found, with a person's corrections over it.

    `fields` are in order of how much they tell, without TYPE and LANGUAGE, which are `type` and `language`. `removed`
    are those a person took away, which can be put back.
    `type` is 'document' where no rule recognises it; `language` is ISO 639-1, '' where unsure. `key` is the SHA-256 of
    the form given to the model: it changes when, and only when, that does.
    """

    document_id: int
    type: str
    language: str
    pages: int | None
    fields: tuple[Field, ...] = ()
    contents: tuple[Entry, ...] = ()
    removed: tuple[Field, ...] = ()
    type_source: Source = Source.FOUND
    language_source: Source = Source.FOUND
    key: str = field(default="", compare=False)

    def of_kind(self, kind: Kind) -> tuple[Field, ...]:
        return tuple(field for field in self.fields if field.kind == kind)


def single(fields: Sequence[Field], kind: Kind) -> str:
    """Return the value of a kind that occurs once, '' where it does not."""
    return next((field.value for field in fields if field.kind == kind), "")


def source_of(fields: Sequence[Field], kind: Kind) -> Source:
    """Return where the value of a kind that occurs once comes from."""
    return next((field.source for field in fields if field.kind == kind), Source.FOUND)


def key_of(text: str) -> str:
    """Return the passport key of a passport's text for the model."""
    return hashlib.sha256(text.encode()).hexdigest()
