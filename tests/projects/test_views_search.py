"""Tests of the search page: what is found, where it leads, and what is said when something was not searched."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from projects.models import Document, Project
from projects.retrieval import search as retrieval
from projects.retrieval.search import Found
from tests.projects.factories import make_project, passage
from tests.projects.written import write

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = make_project()
    write(project, "lease.pdf", [("Rent", "Rent\n\nThe rent is 900 euros."), "Heating is extra."], first_page=1)
    write(project, "letter.txt", ["The rent was not paid. The rent is due & late."])
    return project


@pytest.fixture
def page(project: Project, client: Client) -> Client:
    client.force_login(project.owner)
    return client


def found(page: Client, project: Project, query: str, **headers: str) -> str:
    response = page.get(reverse("projects:search", args=[project.pk]) + query, headers=headers)
    assert response.status_code == 200
    return response.content.decode()


def titles(html: str) -> list[str]:
    return re.findall(r'<h2><a href="[^"]*/source/[^"]*">(.*?)</a>', html)


def test_without_words_there_is_only_the_field(page: Client, project: Project) -> None:
    html = found(page, project, "")
    assert 'name="q"' in html
    assert "Nothing found" not in html


def test_each_hit_has_its_document_page_heading_and_marked_words(page: Client, project: Project) -> None:
    html = found(page, project, "?q=rent+euros")
    assert sorted(titles(html)) == ["lease.pdf, page 1", "letter.txt"]
    assert "The <mark>rent</mark> is 900 <mark>euros</mark>." in html
    assert re.search(r'<p class="hint">Rent</p>', html)
    assert "1st by words" in html
    assert "2nd by words" in html
    assert "late" in html
    assert "due &amp; late" in html


def test_a_hit_opens_its_source_with_the_words_marked(page: Client, project: Project) -> None:
    link = re.search(r'href="([^"]*/source/[^"]*)#quote"', found(page, project, "?q=heating"))
    assert link is not None
    source = page.get(link[1].replace("&amp;", "&")).content.decode()
    assert '<mark id="quote">Heating</mark> is extra.' in source


def test_a_search_can_be_for_some_of_the_documents(page: Client, project: Project) -> None:
    letter = Document.objects.get(name="letter.txt")
    html = found(page, project, f"?q=rent&in={letter.pk}")
    assert titles(html) == ["letter.txt"]
    assert re.search(rf'value="{letter.pk}" checked', html)
    assert "Nothing found" in found(page, project, f"?q=heating&in={letter.pk}")


def test_documents_of_other_projects_are_not_searched(page: Client, project: Project) -> None:
    other = write(make_project("Other"), "secret.txt", ["The rent is a secret."])
    assert titles(found(page, project, f"?q=secret&in={other.pk}")) == []


def test_documents_that_are_not_ready_are_named(page: Client, project: Project) -> None:
    Document.objects.filter(name="letter.txt").update(state=Document.State.INDEXING)
    html = found(page, project, "?q=rent")
    assert "Not searched, because it is not ready: letter.txt." in html
    assert titles(html) == ["lease.pdf, page 1"]


def test_what_is_not_there_is_said_to_be_not_there(page: Client, project: Project) -> None:
    assert "Nothing found" in found(page, project, "?q=zeppelin")


@pytest.mark.parametrize("words", ["%22%27%29", "AND+OR+NOT", "%00", "*", "x" * 600, "%E2%80%AE"])
def test_any_words_may_be_looked_for(page: Client, project: Project, words: str) -> None:
    assert "<script>" not in found(page, project, f"?q={words}")


def test_words_of_a_document_are_shown_and_never_run(page: Client, project: Project) -> None:
    write(project, "evil.html", ["<script>alert(1)</script> zeppelin"])
    assert "<script>alert" not in found(page, project, "?q=zeppelin")


def test_ranks_by_words_and_by_meaning_are_shown_with_what_could_not_be_done(
    page: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = Document.objects.get(name="lease.pdf")
    one = replace(passage("Nine hundred a month.", document="lease.pdf"), document_id=lease.pk)
    answer = Found((retrieval.Hit(one, None, 11, 0.1),), "words and meaning", "The index is being made.")
    monkeypatch.setattr(retrieval, "find", lambda *_, **__: answer)
    html = found(page, project, "?q=rent")
    assert "11th by meaning" in html
    assert "by words</span>" not in html
    assert "1 passage, near in meaning; none has these words" in html
    assert "The index is being made." in html


def test_what_was_found_by_words_too_is_said_to_be(
    page: Client, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = Document.objects.get(name="lease.pdf")
    one = replace(passage("Nine hundred a month.", document="lease.pdf"), document_id=lease.pk)
    other = replace(passage("The rent is nine hundred.", document="lease.pdf"), document_id=lease.pk)
    answer = Found((retrieval.Hit(one, None, 1, 0.2), retrieval.Hit(other, 1, 2, 0.1)), "words and meaning", "")
    monkeypatch.setattr(retrieval, "find", lambda *_, **__: answer)
    assert "2 passages, found by words and meaning" in found(page, project, "?q=rent")


def test_htmx_gets_the_hits_alone(page: Client, project: Project) -> None:
    assert "<form" not in found(page, project, "?q=rent", HX_Request="true")


def test_going_back_in_the_history_brings_the_whole_page(page: Client, project: Project) -> None:
    assert "<html" in found(page, project, "?q=rent", HX_Request="true", HX_History_Restore_Request="true")
