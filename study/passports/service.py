"""Passports as stored: made when a document was read, corrected by people, handed out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from django.db import transaction

from study.models.passport import Passport as PassportRow
from study.models.passport import PassportField
from study.passports.finding import RULES, find
from study.passports.merging import merged
from study.passports.reading import BadValue, checked
from study.passports.values import (
    SINGLE,
    UNKNOWN_TYPE,
    Entry,
    Field,
    Kind,
    Passport,
    Section,
    Source,
    key_of,
    single,
    source_of,
)
from study.passports.wording import for_model

__all__ = [
    "BadValue",
    "NoSuchField",
    "add_field",
    "correct",
    "for_model",
    "forget",
    "make_passport",
    "outdated",
    "passport_of",
    "passports_of",
    "remove_field",
    "reset",
]


class NoSuchField(Exception):
    """The field, or the whole passport, is gone: the document was read again or deleted. Show the page anew."""


def make_passport(document_id: int, name: str, sections: Sequence[Section], pages: int | None = None) -> Passport:
    """Find and store what a document says about itself; what people corrected, added and removed stays so.

    `pages` is the file's page count where the reader knows it; else it is the last page with text. Safe to repeat.
    """
    found = find(name, sections, pages)
    with transaction.atomic():
        row, _ = PassportRow.objects.update_or_create(
            document_id=document_id,
            defaults={
                "pages": found.pages,
                "contents": [[entry.text, entry.page, entry.depth] for entry in found.contents],
                "made_with": RULES,
            },
        )
        _replace_found(row, found.fields)
        return _refreshed(row)


def forget(document_id: int) -> None:
    """Drop what was found in a document whose text is gone, as when reading it anew failed; people's words stay."""
    with transaction.atomic():
        for row in PassportRow.objects.select_for_update().filter(document_id=document_id):
            row.pages, row.contents = None, []
            _replace_found(row, ())
            _refreshed(row)


def passport_of(document_id: int) -> Passport | None:
    """Return a document's passport; None for a document that has none yet."""
    row = PassportRow.objects.prefetch_related("fields").filter(document_id=document_id).first()
    return None if row is None else _passport(row)


def passports_of(project_id: int) -> list[Passport]:
    """Return the passports of a project's documents in the order the documents came, so that a new one comes last."""
    rows = PassportRow.objects.prefetch_related("fields").filter(document__project_id=project_id)
    return [_passport(row) for row in rows.order_by("document_id")]


def outdated() -> list[int]:
    """Return the ids of documents whose passport was made by other rules than today's."""
    return list(
        PassportRow.objects.exclude(made_with=RULES).order_by("document_id").values_list("document_id", flat=True)
    )


def correct(document_id: int, field: int | Kind, value: str) -> Passport:
    """Give a field another value; `field` is its id, or TYPE or LANGUAGE.

    Raises NoSuchField, or BadValue with a sentence for the person.
    """
    with transaction.atomic():
        row = _locked(document_id)
        target = _target(row, field)
        if target is None and isinstance(field, Kind):
            _add(row, checked(field, "", value, row.language))
            return _refreshed(row)
        if target is None:
            raise NoSuchField
        wanted = checked(Kind(target.kind), target.label, value, row.language)
        if target.source == Source.FOUND:
            _say(target, wanted, Source.CORRECTED)
        else:
            target.value, target.normalised = wanted.value, wanted.normalised
            target.save()
        return _refreshed(row)


def add_field(document_id: int, kind: Kind, label: str, value: str, page: int | None = None) -> Passport:
    """Add a field that the rules did not find. Raises NoSuchField or BadValue; TYPE and LANGUAGE are only corrected."""
    with transaction.atomic():
        row = _locked(document_id)
        if kind in SINGLE:
            raise BadValue("A document has one type and one language: correct them instead.")
        _add(row, replace(checked(kind, label, value, row.language), page=page))
        return _refreshed(row)


def remove_field(document_id: int, field_id: int) -> Passport:
    """Take a field away, for good if the rules find it again. Raises NoSuchField."""
    with transaction.atomic():
        row = _locked(document_id)
        target = _target(row, field_id)
        if target is None:
            raise NoSuchField
        if target.kind in SINGLE:
            raise BadValue("A document always has a type and a language: correct them instead.")
        if target.source == Source.FOUND:
            _say(target, _field(target), Source.REMOVED)
        elif target.replaces:
            target.source = Source.REMOVED
            target.save()
        else:
            target.delete()
        return _refreshed(row)


def reset(document_id: int, field: int | Kind | None = None) -> Passport:
    """Go back to what was found: in one corrected or removed field, or in all; what a person added goes too."""
    with transaction.atomic():
        row = _locked(document_id)
        words = row.fields.exclude(source=Source.FOUND)
        if isinstance(field, Kind):
            words = words.filter(kind=field)
        elif field is not None:
            words = words.filter(pk=field)
        words.delete()
        return _refreshed(row)


def _locked(document_id: int) -> PassportRow:
    row = PassportRow.objects.select_for_update().filter(document_id=document_id).first()
    if row is None:
        raise NoSuchField
    return row


def _target(row: PassportRow, field: int | Kind) -> PassportField | None:
    """Return the row that is shown for a field, if it is there; a person's word comes before what it stands for."""
    if not isinstance(field, Kind):
        return row.fields.filter(pk=field).first()
    if field not in SINGLE:
        raise BadValue("A document may have many of these: say which.")
    fields = row.fields.filter(kind=field)
    return fields.exclude(source=Source.FOUND).first() or fields.first()


def _say(found: PassportField, wanted: Field, source: Source) -> None:
    """Store a person's word about a found value; said twice, as from two tabs, the last one counts."""
    PassportField.objects.update_or_create(
        passport=found.passport,
        kind=found.kind,
        label=found.label,
        replaces=_field(found).identity,
        defaults={
            "value": wanted.value,
            "normalised": wanted.normalised,
            "page": found.page,
            "rank": found.rank,
            "source": source,
        },
    )


def _add(row: PassportRow, wanted: Field) -> None:
    PassportField.objects.create(
        passport=row,
        kind=wanted.kind,
        label=wanted.label,
        value=wanted.value,
        normalised=wanted.normalised,
        page=wanted.page,
        rank=row.fields.count(),
        source=Source.CORRECTED,
    )


def _replace_found(row: PassportRow, fields: Iterable[Field]) -> None:
    row.fields.filter(source=Source.FOUND).delete()
    PassportField.objects.bulk_create(
        PassportField(
            passport=row,
            kind=field.kind,
            label=field.label,
            value=field.value,
            normalised=field.normalised,
            page=field.page,
            rank=rank,
            source=Source.FOUND,
        )
        for rank, field in enumerate(fields)
    )


def _refreshed(row: PassportRow) -> Passport:
    """Bring what the row repeats from its fields up to date, and return the passport."""
    passport = _passport(PassportRow.objects.prefetch_related("fields").get(pk=row.pk))
    row.type, row.language, row.key = passport.type, passport.language, passport.key
    row.save()
    return passport


def _passport(row: PassportRow) -> Passport:
    rows = [_field(field) for field in row.fields.all()]
    words = [field for field in rows if field.source != Source.FOUND]
    fields = merged([field for field in rows if field.source == Source.FOUND], words)
    passport = Passport(
        document_id=row.document_id,
        type=single(fields, Kind.TYPE) or UNKNOWN_TYPE,
        language=single(fields, Kind.LANGUAGE),
        pages=row.pages,
        fields=tuple(field for field in fields if field.kind not in SINGLE),
        contents=tuple(Entry(*entry) for entry in row.contents),
        removed=tuple(field for field in words if field.source == Source.REMOVED),
        type_source=source_of(fields, Kind.TYPE),
        language_source=source_of(fields, Kind.LANGUAGE),
    )
    return replace(passport, key=key_of(for_model(passport)))


def _field(row: PassportField) -> Field:
    return Field(
        kind=Kind(row.kind),
        label=row.label,
        value=row.value,
        normalised=row.normalised,
        page=row.page,
        source=Source(row.source),
        id=row.pk,
        replaces=row.replaces,
    )
