"""What a person does with a document by the forms of its row and its page."""

from __future__ import annotations

import unicodedata
from unittest.mock import patch

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from projects.intake.pipeline import ingest
from projects.intake.service import add_file
from projects.models import Document, Project
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db

HTMX = {"HX-Request": "true"}


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def page(project: Project, client: Client) -> Client:
    client.force_login(project.owner)
    return client


def queued(project: Project, name: str = "scan.pdf") -> Document:
    return Document.objects.get(pk=add_file(project, name, [name.encode()]).document_id)


def listed(page: Client, project: Project) -> str:
    return page.get(reverse("projects:documents", args=[project.pk])).content.decode()


def act(page: Client, action: str, document: Document, **data: object) -> str:
    """Post a form and return the page that it leads to."""
    return page.post(reverse(f"projects:document-{action}", args=[document.pk]), data, follow=True).content.decode()


def state_of(document: Document) -> str:
    document.refresh_from_db()
    return document.state


def test_a_waiting_document_can_be_cancelled_and_read_again_from_its_row(page: Client, project: Project) -> None:
    document = queued(project)
    assert reverse("projects:document-cancel", args=[document.pk]) in listed(page, project)

    assert "scan.pdf is not read any further." in act(page, "cancel", document, **{"from": "desk"})
    assert state_of(document) == "cancelled"
    assert reverse("projects:document-retry", args=[document.pk]) in listed(page, project)

    assert "scan.pdf is being read again." in act(page, "retry", document)
    assert state_of(document) == "queued"


def test_what_has_ended_cannot_be_cancelled_and_says_so(page: Client, project: Project) -> None:
    document = add_read(project, "lease.txt", "The rent.")
    assert "lease.txt had been read already." in act(page, "cancel", document)
    assert state_of(document) == "ready"


def test_the_row_of_a_locked_document_takes_its_password(page: Client, project: Project) -> None:
    document = queued(project)
    Document.objects.update(state="needs_password", error="The PDF is protected by a password.")
    html = listed(page, project)
    assert "The PDF is protected by a password." in html
    assert 'type="password"' in html
    assert "hx-preserve" in html

    assert "scan.pdf is being read with this password." in act(page, "password", document, password=" ge heim ")
    assert state_of(document) == "queued"
    assert document.password == " ge heim "
    assert "ge heim" not in page.get(reverse("projects:document", args=[document.pk])).content.decode()


@pytest.mark.parametrize("password", ["", "x" * 201], ids=["empty", "too long"])
def test_a_password_that_cannot_be_one_changes_nothing(page: Client, project: Project, password: str) -> None:
    document = queued(project)
    Document.objects.update(state="needs_password", password="old")
    assert "A password has 1 to 200 characters." in act(page, "password", document, password=password)
    assert (state_of(document), document.password) == ("needs_password", "old")


def test_an_action_of_the_script_has_the_list_shown_anew(page: Client, project: Project) -> None:
    document = queued(project)
    reply = page.post(reverse("projects:document-cancel", args=[document.pk]), headers=HTMX)
    assert (reply.status_code, reply["HX-Trigger"]) == (204, "documents-changed")


def test_a_new_version_opens_in_place_of_the_old_one(page: Client, project: Project) -> None:
    document = add_read(project, "lease.txt", "The rent is 900 euros.")
    fresh = SimpleUploadedFile("anything.txt", b"The rent is 950 euros.")
    html = act(page, "replace", document, file=fresh)
    assert "lease.txt has new content and is being read; the old one is gone." in html
    assert Document.objects.get().name == "lease.txt"


def test_a_new_version_that_cannot_be_taken_leaves_the_old_one(page: Client, project: Project) -> None:
    document = add_read(project, "lease.txt", "The rent.")
    assert "Choose the new version first." in act(page, "replace", document)
    same = SimpleUploadedFile("lease.txt", b"The rent.")
    assert "This is the content that lease.txt has already." in act(page, "replace", document, file=same)
    with patch("django.conf.settings.MAX_UPLOAD_BYTES", 3):
        large = SimpleUploadedFile("lease.txt", b"four")
        assert "is larger than" in act(page, "replace", document, file=large)
    assert state_of(document) == "ready"


def test_the_row_names_the_cause_and_the_next_step(page: Client, project: Project) -> None:
    add_read(project, "broken.pdf", b"%PDF-1.7 nothing")
    html = listed(page, project)
    assert "The PDF is damaged or incomplete" in html
    assert "Read it again" in html
    assert "Delete…" in html


def test_ready_with_warnings_says_in_the_list_what_was_not_read(page: Client, project: Project) -> None:
    document = add_read(project, "lease.txt", "The rent.")
    Document.objects.update(state="ready_with_warnings", warnings=["Page 2 was not read.", "Page 9 was not read."])
    html = listed(page, project)
    assert "Page 2 was not read." in html
    assert f'<a href="{reverse("projects:document", args=[document.pk])}">2 notes</a>' in html


def test_both_names_of_one_content_are_listed_and_what_it_is_attached_to(page: Client, project: Project) -> None:
    mail = add_read(project, "mail.txt", "See attached.")
    for name in ("lease.txt", "copy.txt"):
        add_file(project, name, [b"The rent."], parent=mail)
    html = listed(page, project)
    assert "Added as copy.txt too" in html
    assert "Attached to mail.txt" in html


@pytest.mark.parametrize(
    "name",
    ["租约 2024.txt", "a & b [1].txt", "Mu\u0308ller.txt", "n" * 196 + ".txt", "../x.txt", "<b>.txt"],
    ids=["Chinese", "signs", "NFD", "200 characters", "folder", "markup"],
)
def test_any_name_works_in_upload_list_and_page(page: Client, project: Project, name: str) -> None:
    file = SimpleUploadedFile("x", b"The rent is 900 euros.")
    file.name = name  # as it comes: the class would clean it
    page.post(reverse("projects:upload", args=[project.pk]), {"files": [file]})
    document = Document.objects.get()
    ingest(document.pk)

    assert document.name == unicodedata.normalize("NFC", name).removeprefix("../")
    assert state_of(document) == "ready"
    assert escape(document.name) in listed(page, project)
    assert escape(document.name) in page.get(reverse("projects:document", args=[document.pk])).content.decode()


def test_the_overall_line_is_there_while_something_is_read(page: Client, project: Project) -> None:
    add_read(project, "lease.txt", "The rent.")
    assert "files ready" not in listed(page, project)
    queued(project)
    assert "1 of 2 files ready, less than a minute left" in listed(page, project)
