"""Tests of a document's page: its passport and correcting it, its contents, and how it was read."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Document
from study.models import DocumentSummary
from study.passports import service
from study.passports.values import Entry, Field, Found, Kind
from tests.projects.factories import make_project
from tests.projects.written import write

pytestmark = pytest.mark.django_db

FOUND = Found(
    fields=(
        Field(Kind.TYPE, "", "lease"),
        Field(Kind.LANGUAGE, "", "en"),
        Field(Kind.PARTY, "Landlord", "Anna Berg", page=1),
        Field(Kind.AMOUNT, "Rent", "1,180 euros", "1180.00 EUR", page=2),
    ),
    contents=(Entry("Rent and charges", 2), Entry("Deposit", 2, 2)),
    pages=2,
)


@pytest.fixture
def lease(monkeypatch: pytest.MonkeyPatch) -> Document:
    monkeypatch.setattr("study.passports.service.find", lambda *_: FOUND)
    return with_passport(write(make_project(), "lease.pdf", ["Lease.\fThe rent is 1,180 euros."], first_page=1))


def with_passport(document: Document) -> Document:
    service.make_passport(document.pk, document.name, [])
    return document


@pytest.fixture
def page(lease: Document, client: Client) -> Client:
    client.force_login(lease.project.owner)
    return client


def shown(page: Client, document: Document) -> str:
    return page.get(reverse("projects:document", args=[document.pk])).content.decode()


def a_field(document: Document) -> Field:
    """Return the first field of the passport that is not single."""
    passport = service.passport_of(document.pk)
    assert passport is not None
    return passport.fields[0]


def act(visitor: Client, name: str, document: Document, *args: object, htmx: bool = False, **data: object) -> str:
    headers = {"HX-Request": "true"} if htmx else {}
    url = reverse(f"projects:passport-{name}", args=[document.pk, *args])
    return visitor.post(url, data, headers=headers, follow=True).content.decode()


def test_the_page_shows_each_field_with_its_page(page: Client, lease: Document) -> None:
    html = shown(page, lease)
    source = reverse("projects:source", args=[lease.pk])
    for words in ("Lease", "English", "Landlord", "Anna Berg", "1,180 euros", f"{source}?page=1", f"{source}?page=2"):
        assert words in html
    assert "corrected by you" not in html


def test_the_contents_lead_to_their_pages(page: Client, lease: Document) -> None:
    html = shown(page, lease)
    assert re.search(r'\?page=2" data-pane><span>Rent and charges</span><span>2</span>', html)
    assert "contents-2" in html


def test_a_corrected_value_shows_as_yours_and_can_be_taken_back(page: Client, lease: Document) -> None:
    field = a_field(lease)
    html = act(page, "correct", lease, field.id, value="Anna <Bergman>")
    assert "Anna &lt;Bergman&gt;" in html
    assert html.count("corrected by you") == 1
    corrected = next(row for row in service.passport_of(lease.pk).fields if row.value == "Anna <Bergman>")  # type: ignore[union-attr]
    html = act(page, "reset", lease, corrected.id)
    assert "corrected by you" not in html
    assert a_field(lease).value == field.value


def test_the_type_and_the_language_can_be_corrected_and_taken_back(page: Client, lease: Document) -> None:
    html = act(page, "correct", lease, "language", value="fr")
    assert "French" in html
    html = act(page, "correct", lease, "type", value="sublease")
    assert "Sublease" in html
    html = act(page, "reset", lease, "type")
    assert "Sublease" not in html
    assert "French" in html


def test_a_removed_field_is_listed_and_can_be_put_back(page: Client, lease: Document) -> None:
    field = a_field(lease)
    assert "Removed by you" in act(page, "remove", lease, field.id)
    (removed,) = service.passport_of(lease.pk).removed  # type: ignore[union-attr]
    assert "Removed by you" not in act(page, "reset", lease, removed.id)
    assert a_field(lease).value == field.value


def test_a_field_can_be_added_and_taken_out(page: Client, lease: Document) -> None:
    html = act(page, "add", lease, kind="identifier", label="File", value="X-42", page="1")
    assert "X-42" in html
    assert "Take it out" in html
    added = next(row for row in service.passport_of(lease.pk).fields if row.value == "X-42")  # type: ignore[union-attr]
    assert (added.kind, added.label, added.page) == (Kind.IDENTIFIER, "File", 1)
    assert "X-42" not in act(page, "reset", lease, added.id)


def test_htmx_gets_the_passport_alone_and_a_problem_in_it(page: Client, lease: Document) -> None:
    html = act(page, "correct", lease, "language", htmx=True, value="Klingon!")
    assert "<html" not in html
    assert re.search(r'role="alert"><span>Write the language as its code', html)


def test_a_plain_form_says_the_problem_on_the_page(page: Client, lease: Document) -> None:
    assert "Write a value, or remove the field." in act(page, "correct", lease, a_field(lease).id, value="  ")


def test_a_field_that_is_gone_is_said_to_be_gone(page: Client, lease: Document) -> None:
    html = act(page, "correct", lease, 999_999, htmx=True, value="x")
    assert "That field is gone" in html


@pytest.mark.parametrize("name", ["correct", "remove", "reset"])
def test_a_field_of_another_document_is_not_touched(page: Client, lease: Document, name: str) -> None:
    other = with_passport(write(lease.project, "other.txt", ["Text."]))
    before = service.passport_of(other.pk)
    act(page, name, lease, a_field(other).id, value="x")
    assert service.passport_of(other.pk) == before


@pytest.mark.parametrize("field", ["party", "x", "1" * 30])
def test_an_unknown_field_is_not_found(page: Client, lease: Document, field: str) -> None:
    url = reverse("projects:passport-correct", args=[lease.pk, field])
    assert page.post(url, {"value": "x"}).status_code == 404


def test_the_page_says_how_the_document_was_read(page: Client, lease: Document) -> None:
    Document.objects.filter(pk=lease.pk).update(report={"tables": 2, "left_out": ["3 pictures."]})
    html = shown(page, lease)
    assert "All 2 pages were read." in html
    assert "2 tables kept with rows and columns." in html
    assert "3 pictures." in html


def test_the_page_shows_the_summary_once_there_is_one(page: Client, lease: Document) -> None:
    assert "Summary" not in shown(page, lease)
    DocumentSummary.objects.create(document=lease, text="A lease & its rent.", language="en")
    assert "<p>A lease &amp; its rent.</p>" in shown(page, lease)


def test_a_document_that_failed_has_no_passport_and_says_why(page: Client, lease: Document) -> None:
    Document.objects.filter(pk=lease.pk).update(state=Document.State.FAILED, error="The PDF is damaged.")
    html = shown(page, lease)
    assert "The PDF is damaged." in html
    assert 'id="passport"' not in html
    assert "Show its" not in html


def test_the_pane_gets_the_document_alone(page: Client, lease: Document) -> None:
    html = page.get(reverse("projects:document", args=[lease.pk]), headers={"HX-Request": "true"}).content.decode()
    assert html.lstrip().startswith("<article")
