"""Tests of a document's page: the way to its text, its original, trying again and deleting."""

from __future__ import annotations

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient, Client
from django.urls import reverse
from django_q.models import OrmQ

from projects.intake import store
from projects.models import Document, Project
from tests.builders import pdf
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db

LEASE = pdf(
    ["Lease of a flat."], ["The rent is 900 euros a month.", "It is due on the third."], ["Notice: three months."]
)


@pytest.fixture
def lease() -> Document:
    return add_read(make_project(), "Lease – 2024.pdf", LEASE)


@pytest.fixture
def page(lease: Document, client: Client) -> Client:
    client.force_login(lease.project.owner)
    return client


def shown(page: Client, document: Document) -> str:
    return page.get(reverse("projects:document", args=[document.pk])).content.decode()


def test_the_page_leads_to_the_text(page: Client, lease: Document) -> None:
    assert reverse("projects:source", args=[lease.pk]) in shown(page, lease)


def test_a_document_that_failed_says_why_and_can_be_tried_again(page: Client, lease: Document) -> None:
    broken = add_read(lease.project, "broken.pdf", b"%PDF-1.7 nothing")
    assert broken.error in shown(page, broken)
    response = page.post(reverse("projects:document-retry", args=[broken.pk]), follow=True)
    assert "broken.pdf is being read again." in response.content.decode()
    broken.refresh_from_db()
    assert broken.state == Document.State.QUEUED


def test_a_document_whose_reading_has_died_can_be_tried_again(page: Client, lease: Document) -> None:
    Document.objects.update(state=Document.State.EXTRACTING)
    assert "Read it again" not in shown(page, lease)
    OrmQ.objects.all().delete()
    assert "Read it again" in shown(page, lease)


def test_deleting_asks_first_and_then_removes_the_bytes(page: Client, lease: Document) -> None:
    url = reverse("projects:document-delete", args=[lease.pk])
    assert "Delete this document?" in page.get(url).content.decode()
    assert store.path_of(lease.sha256).exists()
    response = page.post(url)
    assert response["Location"] == reverse("projects:desk", args=[lease.project_id])
    assert not Document.objects.exists()
    assert not store.path_of(lease.sha256).exists()


@pytest.fixture
def async_page(lease: Document, async_client: AsyncClient) -> AsyncClient:
    async_client.force_login(lease.project.owner)
    return async_client


async def body(response: object) -> bytes:
    return b"".join([block async for block in response])  # type: ignore[attr-defined]


@pytest.mark.django_db(transaction=True)
async def test_a_pdf_opens_in_the_browser_and_may_do_nothing_there(async_page: AsyncClient, lease: Document) -> None:
    response = await async_page.get(reverse("projects:document-original", args=[lease.pk]))
    assert await body(response) == LEASE
    assert response["Content-Type"] == "application/pdf"
    assert response["Content-Disposition"].startswith("inline")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert "default-src 'none'" in response["Content-Security-Policy"]
    assert "sandbox" in response["Content-Security-Policy"]


@pytest.mark.django_db(transaction=True)
async def test_anything_but_a_pdf_is_a_file_to_save(async_page: AsyncClient, lease: Document) -> None:
    def add() -> Document:
        return add_read(Project.objects.get(), "page.txt", "<html><script>alert(1)</script></html>")

    document = await sync_to_async(add)()
    response = await async_page.get(reverse("projects:document-original", args=[document.pk]))
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment")


@pytest.mark.django_db(transaction=True)
async def test_the_original_is_saved_under_its_own_name(async_page: AsyncClient, lease: Document) -> None:
    response = await async_page.get(reverse("projects:document-download", args=[lease.pk]))
    assert await body(response) == LEASE
    assert response["Content-Length"] == str(len(LEASE))
    assert response["Content-Disposition"] == "attachment; filename*=utf-8''Lease%20%E2%80%93%202024.pdf"
