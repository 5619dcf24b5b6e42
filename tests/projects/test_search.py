"""A search by words and by meaning: what is found, where, by what, and what is said when one of the two is missing."""

from __future__ import annotations

import threading

import pytest
from pytest_django import Settings

from inference import embeddings
from inference.embeddings import encoder
from inference.embeddings.fake import FakeEncoder
from projects.intake.service import remove_document
from projects.models import Document, Project, Vector, VectorIndex
from projects.retrieval import meaning, vectors
from projects.retrieval.matrix import ProjectVectors, Shelf, shelf
from projects.retrieval.search import Found, find
from tests.projects.embedding import FakeModels
from tests.projects.factories import add_read, make_project
from tests.projects.written import write

pytestmark = pytest.mark.django_db


def add(project: Project, name: str, text: str) -> Document:
    """Add a file, read it and embed it, as the worker would."""
    document = add_read(project, name, text)
    vectors.embed_document(document.pk)
    return document


def names(found: Found) -> list[str]:
    return [passage.document for passage in found.passages]


@pytest.fixture
def project(models: FakeModels) -> Project:
    project = make_project()
    add(project, "lease.txt", "The rent of the flat is 900 euros.")
    add(project, "rules.txt", "No dog may live in the house.")
    return project


def test_a_passage_is_found_by_its_meaning_though_it_has_no_word_of_the_question(project: Project) -> None:
    found = find(project.pk, "dwelling price", limit=1)
    assert (names(found), found.mode, found.note) == (["lease.txt"], "words and meaning", "")
    assert (found.hits[0].words_rank, found.hits[0].meaning_rank) == (None, 1)


def test_a_passage_with_words_and_meaning_comes_first_and_says_so(project: Project) -> None:
    add(project, "ad.txt", "A flat in the centre, at a fair price.")
    hit = find(project.pk, "rent of the flat", limit=3).hits[0]
    assert (hit.passage.document, hit.words_rank, hit.meaning_rank) == ("lease.txt", 1, 1)
    assert hit.score == hit.passage.score > 0


def test_the_same_question_finds_the_same_in_the_same_order(project: Project) -> None:
    for number in range(5):
        add(project, f"copy{number}.txt", f"A note that has nothing to do with it, number {'x' * number}.")
    assert find(project.pk, "rent", limit=9) == find(project.pk, "rent", limit=9)


@pytest.mark.parametrize("question", ["", "  ", "?!", "\x00"], ids=["empty", "space", "signs", "null"])
def test_a_question_without_words_finds_nothing(project: Project, question: str) -> None:
    assert find(project.pk, question, limit=5) == Found((), "words")


def test_chosen_documents_alone_are_searched(project: Project) -> None:
    rules = Document.objects.get(name="rules.txt")
    assert names(find(project.pk, "rent of the flat", limit=5, documents=[rules.pk])) == ["rules.txt"]
    assert find(project.pk, "rent of the flat", limit=5, documents=set()).hits == ()


def test_other_projects_are_not_searched(project: Project) -> None:
    other = make_project("Other")
    add(other, "secret.txt", "The rent of the flat is a secret.")
    assert "secret.txt" not in names(find(project.pk, "rent of the flat secret", limit=9))
    assert names(find(other.pk, "dwelling", limit=9)) == ["secret.txt"]


def test_a_removed_document_is_not_found_by_its_meaning_either(project: Project) -> None:
    assert "lease.txt" in names(find(project.pk, "dwelling price", limit=5))
    remove_document(Document.objects.get(name="lease.txt"))
    assert names(find(project.pk, "dwelling price", limit=5)) == ["rules.txt"]
    assert shelf.of(VectorIndex.objects.get(), project.pk).count == 1


def test_a_document_that_is_being_read_again_is_left_out_and_comes_back(project: Project) -> None:
    lease = Document.objects.filter(name="lease.txt")
    lease.update(state=Document.State.QUEUED)
    assert names(find(project.pk, "dwelling price", limit=5)) == ["rules.txt"]
    lease.update(state=Document.State.READY)
    assert names(find(project.pk, "dwelling price", limit=5))[0] == "lease.txt"


def test_an_earlier_reading_of_a_document_is_not_found_any_more(project: Project) -> None:
    find(project.pk, "dwelling", limit=5)
    lease = Document.objects.get(name="lease.txt")
    section = lease.sections.get()
    old = lease.chunks.get()
    new = lease.chunks.create(
        section=section, ordinal=1, page=None, start=0, text="A garden with a hound.", content_key="k"
    )
    old.delete()
    type(new).objects.filter(pk=new.pk).update(ordinal=0)
    vectors.embed_document(lease.pk)
    held = shelf.of(VectorIndex.objects.get(), project.pk)
    find(project.pk, "garden hound", limit=5)
    assert old.pk not in held.chunk_ids[: held.count]
    assert new.pk in held.chunk_ids[: held.count]


def test_vectors_that_another_process_writes_are_found_at_once(project: Project) -> None:
    find(project.pk, "rent", limit=5)
    add(project, "cat.txt", "The cat sat on the mat.")
    assert names(find(project.pk, "cat mat", limit=1)) == ["cat.txt"]


def test_what_has_no_vector_yet_is_found_by_words_and_named(project: Project) -> None:
    add_read(project, "new.txt", "The caretaker is Mr Kowalski.")
    found = find(project.pk, "Kowalski", limit=5)
    assert names(found)[0] == "new.txt"
    assert found.note == "1 of the documents is not indexed by meaning yet and was searched by words alone."


def test_a_document_is_not_whole_before_all_its_chunks_have_vectors(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "\n\n".join(f"Paragraph {number} of it says {'a lot ' * 120}." for number in range(12))
    document = add_read(project, "long.txt", long)
    monkeypatch.setattr(vectors, "BATCH", 4)
    store = vectors._store
    monkeypatch.setattr(vectors, "_store", lambda *args: store(*args) and False)
    vectors.embed_document(document.pk)
    assert 0 < Vector.objects.filter(chunk__document=document).count() < document.chunks.count()
    assert "1 of the documents is not indexed" in find(project.pk, "paragraph", limit=5).note


class TestWithoutTheModel:
    """Words alone, and a sentence that says so; never 'nothing found'."""

    def test_while_it_loads(
        self, project: Project, models: FakeModels, gate: threading.Event, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def slow(name: str) -> FakeEncoder:
            gate.wait(30)
            return FakeEncoder()

        monkeypatch.setattr(encoder, "load", slow)
        models.restart()
        found = find(project.pk, "How much is the rent?", limit=5)
        assert (names(found), found.mode, found.note) == (["lease.txt"], "words", meaning.LOADING)

    def test_when_it_is_not_on_this_machine(self, project: Project, models: FakeModels) -> None:
        models.there.clear()
        models.restart()
        find(project.pk, "rent", limit=5)
        embeddings.embedder().wait()
        found = find(project.pk, "rent", limit=5)
        assert names(found) == ["lease.txt"]
        assert found.mode == "words"
        assert found.note == ("Searched by words alone: The embedding model first is not on this machine.")

    def test_before_anything_is_indexed(self, models: FakeModels) -> None:
        project = make_project()
        add_read(project, "lease.txt", "The rent of the flat is 900 euros.")
        found = find(project.pk, "rent", limit=5)
        assert (names(found), found.mode, found.note) == (["lease.txt"], "words", meaning.NOT_BUILT)

    def test_when_the_project_does_without(self, project: Project) -> None:
        Project.objects.update(vectors=False)
        found = find(project.pk, "dwelling price rent", limit=5)
        assert (names(found), found.mode, found.note) == (["lease.txt"], "words", "")

    def test_when_it_is_switched_off(self, project: Project, settings: Settings) -> None:
        settings.EMBEDDINGS = "off"
        found = find(project.pk, "rent", limit=5)
        assert (names(found), found.mode, found.note) == (["lease.txt"], "words", "")


def test_a_paragraph_of_two_files_reaches_the_context_once(models: FakeModels) -> None:
    """The same letter as text and within a longer file, so that its paragraphs lie in other chunks."""
    project = make_project()
    paragraphs = [
        " ".join(f"{word}{place}" for word in ("tenant", "landlord", "garden", "stairs", "cellar", "roof"))
        for place in "abcdefghijklmnopqrstuvwxyz"
    ]
    letter = "\n\n".join(paragraphs)
    add(project, "letter.txt", letter)
    add(project, "mail.txt", f"{'Dear neighbours, here is the letter that you asked for. ' * 12}\n\n{letter}")
    found = find(project.pk, "tenanta gardenk cellarz roofm landlordd", limit=20)
    shown = " ".join(passage.text for passage in found.passages)
    assert {shown.split().count(word) for word in letter.split()} == {1}


def test_pages_are_those_of_the_file(models: FakeModels) -> None:
    project = make_project()
    document = write(project, "report.pdf", ["One page.\fThe dog is on the second."], first_page=7)
    vectors.embed_document(document.pk)
    passage = find(project.pk, "hound", limit=1).passages[0]
    assert passage.page_at(passage.text.index("dog")) == 8


def test_the_shelf_holds_what_fits_and_drops_what_was_not_used_for_longest(project: Project) -> None:
    index = VectorIndex.objects.get()
    find(project.pk, "rent", limit=1)
    size = shelf.of(index, project.pk).rows.nbytes
    small = Shelf(memory=size)
    first = small.of(index, 1)
    first.rows = shelf.of(index, project.pk).rows
    small.of(index, 2).rows = first.rows
    assert small.of(index, 2).rows is first.rows
    assert isinstance(small.of(index, 1), ProjectVectors)
    assert small.of(index, 1) is not first
