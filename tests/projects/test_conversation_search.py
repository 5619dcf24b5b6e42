"""Tests of finding conversations by their words: what counts as found, what is marked, in which order they come."""

from __future__ import annotations

import unicodedata

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from projects.conversations.searching import Said, marks, matching, words_of
from projects.models import Conversation, Project, Turn
from tests.projects.factories import make_project


def said(question: str, answer: str = "", *, title: str = "", conversation: int = 1, turn: int = 1) -> Said:
    return Said(conversation, title, turn, None, question, answer)


def found(query: str, *turns: Said) -> list[int]:
    return [hit.said.turn_id for hit in matching(turns, words_of(query))]


def marked(text: str, query: str) -> list[str]:
    return [text[span.start : span.end] for span in marks(text, words_of(query))]


@pytest.mark.parametrize("query", ["rent", "RENT", "ren", "900 rent", "  rent   euros "])
def test_words_are_found_in_any_order_case_and_in_part(query: str) -> None:
    assert found(query, said("What is the Rent?", "It is 900 euros.")) == [1]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Wie hoch ist die Miete in Köln?", "koln"),
        ("Wie hoch ist die Miete in Koln?", "KÖLN"),
        ("Straße", "STRASSE"),
        (unicodedata.normalize("NFD", "le loyer à l'élysée"), "elysee"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("什么是租金？", "租金"),
    ],
)
def test_case_and_accents_make_no_difference(text: str, query: str) -> None:
    assert found(query, said(text)) == [1]


def test_all_words_must_be_there_but_not_in_one_turn() -> None:
    turns = [said("What is the rent?", "900 euros."), said("And the deposit?", "Two rents: 1,800.", turn=2)]
    assert found("rent deposit", *turns) == [2]
    assert found("rent garage", *turns) == []


def test_the_title_counts_too() -> None:
    assert found("flat 900", said("What is the rent?", "900 euros.", title="My flat")) == [1]


@pytest.mark.parametrize("query", ["", "  ", "\n"])
def test_nothing_looked_for_finds_nothing(query: str) -> None:
    assert found(query, said("What is the rent?")) == []


def test_one_hit_for_each_conversation_shows_what_stands_in_the_thread_rather_than_what_was_set_aside() -> None:
    before = Said(1, "", 1, 2, "The rent?", "")
    assert found("rent", before, said("The rent, please?", turn=2), said("Rent?", conversation=7, turn=3)) == [2, 3]
    assert found("rent", before, said("The deposit?", turn=2)) == [1]


def test_what_is_marked_is_the_text_as_it_is_written() -> None:
    decomposed = unicodedata.normalize("NFD", "Köln")
    assert marked(f"In {decomposed} and KÖLN, on Straße 5", "koln strasse") == [decomposed, "KÖLN", "Straße"]
    assert marked("rentrent", "rent entr") == ["rentrent"]


@given(st.text(), st.lists(st.text(min_size=1), max_size=3))
def test_marks_are_in_order_and_within_the_text(text: str, words: list[str]) -> None:
    spans = marks(text, words_of(" ".join(words)))
    edges = [edge for span in spans for edge in (span.start, span.end)]
    assert edges == sorted(edges)
    assert all(0 <= span.start < span.end <= len(text) for span in spans)


@pytest.fixture
def project() -> Project:
    return make_project()


@pytest.fixture
def page(project: Project, client: Client) -> Client:
    client.force_login(project.owner)
    return client


def ask(project: Project, question: str, answer: str = "", title: str = "") -> Turn:
    conversation = project.conversations.create(title=title or question)
    return Turn.objects.create(conversation=conversation, question=question, answer=answer, state=Turn.State.DONE)


def look(page: Client, project: Project, query: str, **headers: str) -> str:
    url = reverse("projects:conversations", args=[project.pk])
    return page.get(url, {"q": query}, headers=headers).content.decode()


@pytest.mark.django_db
def test_a_found_conversation_leads_to_the_turn_with_the_words_marked(page: Client, project: Project) -> None:
    turn = ask(project, "What is the Miete?", "It is 900 euros.", "Flat")
    ask(project, "Who signed?")
    html = look(page, project, "miete")
    assert f"/projects/{project.pk}/conversations/{turn.conversation_id}/#turn-{turn.pk}" in html
    assert "What is the <mark>Miete</mark>?" in html
    assert "Who signed" not in html
    assert "<html" in html


@pytest.mark.django_db
def test_htmx_gets_the_list_alone(page: Client, project: Project) -> None:
    ask(project, "What is the rent?")
    html = look(page, project, "rent", hx_request="true")
    assert "<html" not in html
    assert 'id="conversation-list"' in html


@pytest.mark.django_db
def test_what_was_set_aside_is_found_where_it_is_kept(page: Client, project: Project) -> None:
    turn = ask(project, "What is the deposit?")
    fresh = Turn.objects.create(conversation=turn.conversation, question="What is the rent?", state=Turn.State.DONE)
    Turn.objects.filter(pk=turn.pk).update(replaced_by=fresh)
    assert f"{reverse('projects:earlier', args=[fresh.pk])}#turn-{turn.pk}" in look(page, project, "deposit")


@pytest.mark.django_db
def test_words_that_nobody_said_are_said_to_be_in_none(page: Client, project: Project) -> None:
    ask(project, "What is the rent?")
    assert "No conversation has these words." in look(page, project, "garage")
    assert "&lt;b&gt;" in look(page, project, "<b>")


@pytest.mark.django_db
def test_conversations_of_other_projects_are_not_found(page: Client, project: Project) -> None:
    ask(make_project("Other"), "What is the rent?")
    assert "No conversation has these words." in look(page, project, "rent")


@pytest.mark.django_db
def test_the_one_asked_in_last_comes_first(page: Client, project: Project) -> None:
    first, second = ask(project, "Rent of the flat?"), ask(project, "Rent of the garage?")
    first.conversation.save()
    html = look(page, project, "rent")
    assert html.index(f"turn-{first.pk}") < html.index(f"turn-{second.pk}")


@pytest.mark.django_db
def test_all_are_there_a_page_at_a_time(page: Client, project: Project) -> None:
    Conversation.objects.bulk_create(Conversation(project=project, title=f"Talk {number:02}") for number in range(60))
    url = reverse("projects:conversations", args=[project.pk])
    first, second = page.get(url).content.decode(), page.get(url, {"page": 2}).content.decode()
    assert (first.count('class="row conversation"'), second.count('class="row conversation"')) == (50, 10)
    assert "?page=2" in first
    assert "?page=1" in second
    assert "Talk 59" in first
    for nonsense in ("nonsense", "-1", "0", "9" * 50, "²"):
        assert "Talk 59" in page.get(url, {"page": nonsense}).content.decode()
