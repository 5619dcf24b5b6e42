"""Tests of stored passports: made, read again, corrected by people, kept with their document and gone with it."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.intake.sections import SectionText
from projects.models import Document, Project
from study.models import Passport as PassportRow
from study.passports import service
from study.passports.service import BadValue, NoSuchField
from study.passports.values import Field, Kind, Passport, Source
from tests.projects.factories import make_project

pytestmark = pytest.mark.django_db

LEASE = (
    "Residential lease\n\nLandlord: Ann Lee\nTenant: Bob Ray\nTenant: Cleo Fox\nRent: £900.00\n\nStart date: 1 May 2023"
)
LATER = LEASE.replace("£900.00", "£940.00")


@pytest.fixture
def document() -> Document:
    return Document.objects.create(project=make_project(), sha256="0" * 64, name="lease.pdf", size=1)


def read(document: Document, text: str = LEASE) -> Passport:
    return service.make_passport(document.pk, document.name, [SectionText((), 1, text)])


def stored(document: Document) -> Passport:
    passport = service.passport_of(document.pk)
    assert passport is not None
    return passport


def field(passport: Passport, value: str) -> Field:
    return next(field for field in passport.fields if field.value == value)


def row_id(passport: Passport, value: str) -> int:
    found = field(passport, value).id
    assert found is not None
    return found


def values(passport: Passport) -> list[str]:
    return [field.value for field in passport.fields]


def test_passport_is_read_back_as_it_was_made(document: Document) -> None:
    made = read(document)
    assert (made.type, made.language, made.pages) == ("lease", "en", 1)
    assert {"Ann Lee", "Bob Ray", "Cleo Fox", "£900.00", "1 May 2023"} == set(values(made))
    assert stored(document) == made
    assert service.passport_of(document.pk + 1) is None


def test_reading_again_changes_nothing_when_the_text_is_the_same(document: Document) -> None:
    first = read(document)
    second = read(document)
    assert values(first) == values(second)
    assert first.key == second.key


def test_correction_wins_and_is_kept_when_the_document_is_read_again(document: Document) -> None:
    made = read(document)
    corrected = service.correct(document.pk, row_id(made, "£900.00"), " £950.00 ")
    rent = field(corrected, "£950.00")
    assert (rent.normalised, rent.label, rent.page, rent.source) == ("950.00 GBP", "Rent", 1, Source.CORRECTED)
    assert "£940.00" not in values(read(document, LATER))
    assert field(stored(document), "£950.00").replaces == "900.00 GBP"


def test_correction_can_be_corrected_and_taken_back(document: Document) -> None:
    made = service.correct(document.pk, row_id(read(document), "£900.00"), "£950.00")
    made = service.correct(document.pk, row_id(made, "£950.00"), "£960.00")
    assert "£960.00" in values(made)
    assert "£950.00" not in values(made)
    assert values(service.reset(document.pk, row_id(made, "£960.00"))) == values(read(document))


def test_correction_said_twice_is_stored_once(document: Document) -> None:
    rent = row_id(read(document), "£900.00")
    service.correct(document.pk, rent, "£950.00")
    assert values(service.correct(document.pk, rent, "£970.00")).count("£970.00") == 1
    assert "£950.00" not in values(stored(document))


def test_removed_field_stays_away_and_can_be_put_back(document: Document) -> None:
    made = service.remove_field(document.pk, row_id(read(document), "Cleo Fox"))
    assert "Cleo Fox" not in values(made)
    again = read(document)
    assert "Cleo Fox" not in values(again)
    assert "Bob Ray" in values(again)
    (gone,) = again.removed
    assert "Cleo Fox" in values(service.reset(document.pk, gone.id))


def test_added_field_stays_until_it_is_removed(document: Document) -> None:
    read(document)
    service.add_field(document.pk, Kind.IDENTIFIER, "Flat", "3 B", page=2)
    added = field(read(document), "3 B")
    assert (added.label, added.normalised, added.page, added.source) == ("Flat", "3B", 2, Source.CORRECTED)
    assert added.id is not None
    made = service.remove_field(document.pk, added.id)
    assert "3 B" not in values(made)
    assert made.removed == ()


@pytest.mark.parametrize("kind", [Kind.TYPE, Kind.LANGUAGE], ids=str)
def test_type_and_language_are_corrected_by_kind(document: Document, kind: Kind) -> None:
    read(document, "12 34")
    service.correct(document.pk, kind, "de")
    passport = read(document)
    assert getattr(passport, kind.value) == "de"
    assert getattr(passport, f"{kind.value}_source") == Source.CORRECTED
    row = PassportRow.objects.get(document=document)
    assert getattr(row, kind.value) == "de"
    assert getattr(service.reset(document.pk, kind), kind.value) in ("lease", "en")


def test_every_change_changes_the_key_and_going_back_brings_it_back(document: Document) -> None:
    made = read(document)
    keys = [made.key]
    keys.append(service.correct(document.pk, row_id(made, "£900.00"), "£950.00").key)
    keys.append(service.correct(document.pk, Kind.TYPE, "sublease").key)
    keys.append(service.add_field(document.pk, Kind.PARTY, "Guarantor", "Dan Orr").key)
    keys.append(service.remove_field(document.pk, row_id(stored(document), "Bob Ray")).key)
    assert len(set(keys)) == len(keys)
    assert PassportRow.objects.get(document=document).key == keys[-1]
    assert service.reset(document.pk).key == keys[0]


@pytest.mark.parametrize(
    ("kind", "label", "value"),
    [
        (Kind.PARTY, "Tenant", "  "),
        (Kind.PARTY, "Tenant", "x" * 301),
        (Kind.PARTY, "x" * 81, "Ann"),
        (Kind.TYPE, "", "lease"),
        (Kind.LANGUAGE, "", "de"),
    ],
    ids=["empty", "long value", "long label", "second type", "second language"],
)
def test_value_that_cannot_be_is_refused_with_a_sentence(
    document: Document, kind: Kind, label: str, value: str
) -> None:
    before = read(document)
    with pytest.raises(BadValue) as refused:
        service.add_field(document.pk, kind, label, value)
    assert refused.value.message.endswith(".")
    assert stored(document) == before


def test_language_is_a_code(document: Document) -> None:
    read(document)
    with pytest.raises(BadValue):
        service.correct(document.pk, Kind.LANGUAGE, "German")


def test_field_that_is_gone_is_said_to_be(document: Document) -> None:
    old = row_id(read(document), "£900.00")
    read(document)
    with pytest.raises(NoSuchField):
        service.correct(document.pk, old, "£1.00")
    with pytest.raises(NoSuchField):
        service.remove_field(document.pk, old)
    with pytest.raises(NoSuchField):
        service.correct(document.pk + 1, Kind.TYPE, "lease")


def test_field_of_another_document_is_out_of_reach(document: Document) -> None:
    other = Document.objects.create(project=document.project, sha256="1" * 64, name="b.pdf", size=1)
    rent = row_id(read(document), "£900.00")
    read(other)
    with pytest.raises(NoSuchField):
        service.correct(other.pk, rent, "£1.00")
    assert "£900.00" in values(service.reset(other.pk, rent))


def test_passports_of_a_project_come_in_the_order_of_its_documents(document: Document) -> None:
    project = document.project
    second = Document.objects.create(project=project, sha256="1" * 64, name="a.pdf", size=1)
    elsewhere = Document.objects.create(
        project=Project.objects.create(owner=project.owner, name="B"), sha256="2" * 64, name="c", size=1
    )
    for each in (second, elsewhere, document):
        read(each)
    assert [passport.document_id for passport in service.passports_of(project.pk)] == [document.pk, second.pk]


def test_forgetting_leaves_what_people_said_and_nothing_of_the_text(document: Document) -> None:
    service.correct(document.pk, row_id(read(document), "£900.00"), "£950.00")
    service.forget(document.pk)
    passport = stored(document)
    assert (passport.type, passport.contents, values(passport)) == ("document", (), ["£950.00"])
    assert "£950.00" in values(read(document))


def test_passport_goes_with_its_document(document: Document) -> None:
    read(document)
    document.delete()
    assert not PassportRow.objects.exists()


def test_passports_by_older_rules_can_be_found(document: Document) -> None:
    read(document)
    assert service.outdated() == []
    PassportRow.objects.update(made_with=0)
    assert service.outdated() == [document.pk]


def test_admin_shows_a_passport_with_its_fields_and_takes_corrections_back(
    document: Document, admin_client: Client
) -> None:
    service.correct(document.pk, row_id(read(document), "£900.00"), "£950.00")
    row = PassportRow.objects.get(document=document)
    page = admin_client.get(reverse("admin:study_passport_change", args=[row.pk])).content.decode()
    assert "£950.00" in page
    assert "Ann Lee" in page
    action = {"action": "forget_corrections", "_selected_action": [row.pk]}
    admin_client.post(reverse("admin:study_passport_changelist"), action)
    assert "£900.00" in values(stored(document))


def test_passports_of_many_documents_take_as_few_queries_as_of_one(document: Document) -> None:
    read(document)
    counts = []
    for digit in "12":
        with CaptureQueriesContext(connection) as queries:
            service.passports_of(document.project_id)
        counts.append(len(queries))
        read(Document.objects.create(project=document.project, sha256=digit * 64, name="b.pdf", size=1))
    assert counts[0] == counts[1]
