"""Word search: the right passage first, from this project's ready documents alone, for any question whatever."""

from __future__ import annotations

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from projects.intake.service import remove_document
from projects.models import Document
from projects.retrieval.lexical import openings, passages, search, sqlite
from projects.retrieval.lexical.terms import terms_of
from tests.projects.factories import add_read, make_project

TABLES = {"sqlite": "projects_chunk_fts", "postgresql": "projects_chunk_words"}


def rows_in_index() -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {TABLES[connection.vendor]}")
        return int(cursor.fetchone()[0])


@pytest.mark.django_db
def test_the_passage_with_the_words_of_the_question_comes_first() -> None:
    project = make_project()
    add_read(project, "rules.txt", "Quiet hours begin at ten in the evening.")
    add_read(project, "lease.txt", "The monthly rent is 900 euros.")

    assert search(project.pk, "How much is the rent?")[0].document == "lease.txt"


@pytest.mark.django_db
def test_a_passage_is_found_by_the_first_lines_and_the_name_of_its_document() -> None:
    project = make_project()
    filler = "\n\n".join(f"Clause {number} says nothing of interest at all." for number in range(60))
    for town in ("Lisbon", "Ghent"):
        add_read(
            project, f"{town.lower()}.txt", f"Lease of the flat in {town}\n\n{filler}\n\nThe deposit is in {town[0]}."
        )

    best = search(project.pk, "deposit of the flat in Ghent")[0]

    assert (best.document, "deposit" in best.text) == ("ghent.txt", True)


@pytest.mark.django_db
@pytest.mark.parametrize("question", ["muller", "MÜLLER", "Mu\u0308ller", "tenants", "PA-22-150", "22"])
def test_accents_case_endings_and_hyphens_do_not_hide_a_passage(question: str) -> None:
    project = make_project()
    add_read(project, "a.txt", "The tenant Müller flies a Piper PA-22-150.")

    assert len(search(project.pk, question)) == 1


@pytest.mark.django_db
def test_other_projects_and_documents_that_are_not_ready_are_not_searched() -> None:
    mine, other = make_project("Mine"), make_project("Other")
    add_read(other, "a.txt", "The rent is 900 euros.")
    waiting = add_read(mine, "b.txt", "The rent is 950 euros.")
    Document.objects.filter(pk=waiting.pk).update(state=Document.State.QUEUED)

    assert search(mine.pk, "rent") == []
    assert openings(mine.pk, 5) == []


@pytest.mark.django_db
def test_a_removed_document_leaves_the_index_with_it() -> None:
    project = make_project()
    document = add_read(project, "a.txt", "The rent is 900 euros.")
    before = rows_in_index()

    remove_document(document)

    assert rows_in_index() == before - 1


@pytest.mark.django_db
def test_deleting_by_cascade_keeps_the_index_in_step() -> None:
    project = make_project()
    add_read(project, "a.txt", "The rent is 900 euros.")
    before = rows_in_index()

    project.delete()

    assert rows_in_index() == before - 1


def test_a_question_of_common_words_alone_still_has_a_query() -> None:
    assert terms_of("What is it about?") == ["what", "is", "it", "about"]


@pytest.mark.parametrize("question", ["", "?!", '"" "" *', "\x00"])
def test_a_question_without_words_finds_nothing(question: str) -> None:
    assert terms_of(question) == []


class AnyQuestion(TestCase):
    """hypothesis and pytest-django agree on transactions only through this class."""

    @settings(max_examples=150, deadline=None)
    @given(st.text(max_size=80) | st.text(alphabet="\"'*():^-+ANDORNOTEAR {}.\x00é", max_size=40))
    def test_no_question_is_a_syntax_error(self, question: str) -> None:
        search(1, question)


@pytest.mark.django_db
def test_chosen_documents_alone_are_searched() -> None:
    project = make_project()
    one, other = add_read(project, "a.txt", "The rent is 900 euros."), add_read(project, "b.txt", "The rent is due.")

    assert [passage.document for passage in search(project.pk, "rent", documents=[other.pk])] == ["b.txt"]
    assert len(search(project.pk, "rent", documents={one.pk, other.pk})) == 2
    assert search(project.pk, "rent", documents=[]) == []


@pytest.mark.django_db
def test_chunks_are_found_by_their_ids() -> None:
    project = make_project()
    document = add_read(project, "a.txt", "The rent is 900 euros.")
    chunk = document.chunks.get()

    (passage,) = passages([chunk.pk, chunk.pk + 1])

    assert (passage.text, passage.opening, passage.section_id) == (chunk.text, chunk.text, chunk.section_id)


@pytest.mark.parametrize(
    ("rows_with", "query"),
    [
        ([("a", 1), ("b", 2)], '"a" OR "b"'),
        ([("a", 1), ("b", 2), ("c", 9)], '("a" OR "b") AND ("a" OR "b" OR "c")'),
        ([("nowhere", 0), ("b", 4)], '"b"'),
        ([("b", 400)], '"b"'),
        ([("b", 400), ("c", 500)], '("b") AND ("b" OR "c")'),
        ([("nowhere", 0)], ""),
    ],
    ids=["few rows", "a common word", "an unknown word", "one common word", "common words alone", "nothing"],
)
def test_rare_words_lead_and_common_ones_follow(rows_with: list[tuple[str, int]], query: str) -> None:
    assert sqlite.expression(rows_with, most=3) == query
