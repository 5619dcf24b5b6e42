"""Tests of the source: the page as printed and as text, with the cited or searched words marked, and nothing run."""

from __future__ import annotations

import re

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Document, Project
from tests.builders import pdf
from tests.pdfs import locked
from tests.projects.factories import make_project
from tests.projects.written import PDF, cite, write

pytestmark = pytest.mark.django_db

LEASE = pdf(
    ["Lease of a flat."], ["The rent is 900 euros a month.", "It is due on the third."], ["Notice: three months."]
)
TEXT = "Lease of a flat.\fThe rent is 900 euros a month.\nIt is due on the third.\fNotice: three months."
MARK = re.compile(r"<mark[^>]*>(.*?)</mark>", re.DOTALL)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def lease(project: Project) -> Document:
    return write(project, "lease.pdf", [TEXT], first_page=1, content=LEASE, media_type=PDF)


@pytest.fixture
def page(project: Project, client: Client) -> Client:
    client.force_login(project.owner)
    return client


def shown(page: Client, document: Document, query: str = "", **headers: str) -> str:
    response = page.get(reverse("projects:source", args=[document.pk]) + query, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def hit(document: Document, ordinal: int, question: str) -> str:
    """Return what the search page puts into the address of a hit: a whole section."""
    section = document.sections.get(ordinal=ordinal)
    return f"?section={section.pk}&from=0&to={len(section.text)}&q={question}"


def marked(html: str) -> list[str]:
    return MARK.findall(html)


def test_a_pdf_is_shown_page_by_page_as_printed_and_as_text(page: Client, lease: Document) -> None:
    first = shown(page, lease)
    assert reverse("projects:page-picture", args=[lease.pk, 1]) in first
    assert "Lease of a flat." in first
    assert "The rent is" not in first
    assert 'rel="prev"' not in first
    last = shown(page, lease, "?page=3")
    assert "Notice: three months." in last
    assert 'rel="next"' not in last


def test_a_citation_opens_its_page_with_its_words_marked_in_text_and_picture(page: Client, lease: Document) -> None:
    citation = cite(lease, "900 euros a month", 2)
    html = shown(page, lease, f"?citation={citation.pk}")
    assert marked(html) == ["900 euros a month"]
    assert '<mark id="quote">' in html
    assert html.count("<rect data-place") == 1
    assert f"#turn-{citation.turn_id}" in html


def test_turning_the_page_keeps_what_is_marked(page: Client, lease: Document) -> None:
    citation = cite(lease, "900 euros a month", 2)
    html = shown(page, lease, f"?citation={citation.pk}")
    link = re.search(r'rel="prev" href="([^"]+)"', html)
    assert link is not None
    before = page.get(link[1].replace("&amp;", "&")).content.decode()
    assert "Lease of a flat." in before
    assert marked(before) == []
    assert f"#turn-{citation.turn_id}" in before


def test_a_quote_over_a_page_break_is_marked_on_both_pages(page: Client, project: Project) -> None:
    lease = write(project, "lease.pdf", ["It ends with three\fmonths of notice."], first_page=1)
    citation = cite(lease, "three\fmonths", 1)
    assert marked(shown(page, lease, f"?citation={citation.pk}")) == ["three"]
    assert marked(shown(page, lease, f"?citation={citation.pk}&page=2")) == ["months"]


def test_of_equal_words_those_of_the_cited_passage_are_marked(page: Client, project: Project) -> None:
    notes = write(project, "notes.txt", ["Due at once.", "Again: due at once. Really."])
    citation = cite(notes, "due at once")
    citation.chunk = notes.chunks.get(ordinal=1)
    citation.save()
    assert re.search(r"Again: <mark[^>]*>due at once</mark>", shown(page, notes, f"?citation={citation.pk}"))


def test_a_citation_of_a_text_that_was_read_again_finds_its_words_or_says_that_they_are_gone(
    page: Client, project: Project
) -> None:
    notes = write(project, "notes.txt", ["Nothing of it.", "The rent is 900 euros."])
    there, gone = cite(notes, "rent is 900"), cite(notes, "rent is 800")
    notes.chunks.all().delete()
    for citation in (there, gone):
        citation.refresh_from_db()
        assert citation.chunk is None
    assert marked(shown(page, notes, f"?citation={there.pk}")) == ["rent is 900"]
    html = shown(page, notes, f"?citation={gone.pk}")
    assert marked(html) == []
    assert "The cited words are not in the text as it is now" in html


def test_a_citation_without_words_opens_its_page(page: Client, lease: Document) -> None:
    html = shown(page, lease, f"?citation={cite(lease, '', 3).pk}")
    assert "Notice: three months." in html
    assert "The cited words are not" not in html
    assert marked(html) == []


def test_a_citation_of_another_document_marks_nothing(page: Client, project: Project, lease: Document) -> None:
    other = write(project, "notes.txt", ["The rent is 900 euros a month."])
    assert marked(shown(page, lease, f"?citation={cite(other, '900 euros a month').pk}&page=2")) == []


def test_a_search_hit_opens_at_the_page_of_its_words_with_each_of_them_marked(page: Client, lease: Document) -> None:
    html = shown(page, lease, hit(lease, 0, "when+is+the+rent+due"))
    assert "Page 2" in html
    assert marked(html) == ["rent", "due"]
    assert html.count("<rect data-place") == 2
    assert f"{reverse('projects:search', args=[lease.project_id])}?q=when%20is%20the%20rent%20due" in html


def test_a_hit_without_any_of_the_words_is_marked_as_a_whole(page: Client, project: Project) -> None:
    notes = write(project, "notes.txt", ["First.", "Nine hundred a month."])
    assert marked(shown(page, notes, hit(notes, 1, "rent"))) == ["Nine hundred a month."]


def test_of_a_passage_the_words_around_it_are_not_marked(page: Client, project: Project) -> None:
    notes = write(project, "notes.txt", ["The rent. The rent. The rent."])
    section = notes.sections.get()
    html = shown(page, notes, f"?section={section.pk}&from=10&to=19&q=rent")
    assert re.search(r"The rent\. The <mark[^>]*>rent</mark>\. The rent\.", html)


def test_a_passage_of_another_document_marks_nothing(page: Client, project: Project, lease: Document) -> None:
    other = write(project, "notes.txt", ["The rent is due."])
    assert marked(shown(page, lease, hit(other, 0, "rent") + "&page=2")) == []


@pytest.mark.parametrize(
    "query", ["?page=0", "?page=99", "?page=x", "?part=7", "?citation=999999", "?section=-1&q=x", "?citation=²"]
)
def test_an_address_that_makes_no_sense_shows_a_page_that_is_there(page: Client, lease: Document, query: str) -> None:
    assert re.search(r"Text of page [13]", shown(page, lease, query))


def test_tables_are_tables_with_their_words_marked(page: Client, project: Project) -> None:
    costs = write(project, "costs.csv", ["Item | Amount\nHeating | 1,004.20"])
    html = shown(page, costs, f"?citation={cite(costs, '1,004.20').pk}")
    assert '<td><mark id="quote">1,004.20</mark></td>' in html


def test_a_text_without_pages_is_shown_in_parts(
    page: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("projects.presentation.reading.PART", 100)
    book = write(project, "book.txt", [f"Chapter {number}. {'word ' * 15}" for number in range(1, 6)])
    html = shown(page, book)
    assert "Part 1 of 5" in html
    assert "Chapter 2." not in html
    citation = cite(book, "Chapter 4.")
    opened = shown(page, book, f"?citation={citation.pk}")
    assert "Part 4 of 5" in opened
    assert marked(opened) == ["Chapter 4."]


def test_words_of_a_document_are_shown_and_never_run(page: Client, project: Project) -> None:
    evil = write(project, "evil.html", ["<script>alert(1)</script> <svg onload=alert(2)> | x\n<b>a</b> | y"])
    html = shown(page, evil, f"?citation={cite(evil, '<script>alert(1)</script>').pk}")
    assert "<script>alert" not in html
    assert "<svg onload" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html


def test_a_pdf_that_cannot_be_drawn_shows_its_text_and_says_why(page: Client, project: Project) -> None:
    broken = write(project, "broken.pdf", ["The rent is 900."], first_page=1, content=b"%PDF-1.7 x", media_type=PDF)
    html = shown(page, broken)
    assert "The rent is 900." in html
    assert "The file does not open as a PDF." in html
    assert "<img" not in html


def test_a_document_without_text_says_so(page: Client, project: Project) -> None:
    assert "No text was found in this document." in shown(page, write(project, "empty.txt", []))


def test_a_page_read_by_text_recognition_says_so(page: Client, lease: Document) -> None:
    Document.objects.filter(pk=lease.pk).update(report={"ocr": [2]})
    assert "text recognition" in shown(page, lease, "?page=2")
    assert "text recognition" not in shown(page, lease, "?page=1")


def test_the_pane_gets_the_source_alone(page: Client, lease: Document) -> None:
    html = shown(page, lease, HX_Request="true")
    assert html.lstrip().startswith("<article")
    assert "<html" not in html


def test_the_picture_of_a_page_is_a_picture_and_stays_in_no_cache(page: Client, lease: Document) -> None:
    response = page.get(reverse("projects:page-picture", args=[lease.pk, 2]))
    assert response.status_code == 200
    assert response["Content-Type"] == "image/webp"
    assert response.content[:4] == b"RIFF"
    assert response["Cache-Control"] == "private, no-store"
    assert response["X-Content-Type-Options"] == "nosniff"


def test_the_picture_of_a_page_that_is_not_there_is_refused_in_a_sentence(page: Client, lease: Document) -> None:
    response = page.get(reverse("projects:page-picture", args=[lease.pk, 4]))
    assert response.status_code == 422
    assert response.content.decode() == "The file has no page 4."


def test_formats_without_printed_pages_have_no_pictures(page: Client, project: Project) -> None:
    notes = write(project, "notes.txt", ["Text."])
    assert page.get(reverse("projects:page-picture", args=[notes.pk, 1])).status_code == 404


def test_the_password_of_a_document_opens_its_pages(page: Client, project: Project) -> None:
    content = locked(LEASE, "open sesame", "owner")
    lease = write(project, "lease.pdf", [TEXT], first_page=1, content=content, media_type=PDF)
    picture = reverse("projects:page-picture", args=[lease.pk, 2])
    assert page.get(picture).status_code == 422
    assert "The file does not open as a PDF." in shown(page, lease)
    Document.objects.filter(pk=lease.pk).update(password="open sesame")
    assert page.get(picture).content[:4] == b"RIFF"
    assert shown(page, lease, hit(lease, 0, "rent")).count("<rect data-place") == 1
