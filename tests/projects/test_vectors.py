"""Every chunk gets its vector, whatever is killed, removed, read again or configured meanwhile."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from django_q.models import OrmQ

from projects.intake.service import remove_document
from projects.models import Chunk, Document, Project, Vector, VectorIndex
from projects.retrieval import indexes, vectors
from projects.retrieval.matrix import ProjectVectors
from projects.retrieval.meaning import NOT_BUILT, Meaning, nearest
from study.presence import Presence
from tests.projects.embedding import FakeModels
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db

LEASE = "\n\n".join(f"Clause {number} of the lease says that the tenant {'pays ' * 100}." for number in range(40))


def jobs(function: str) -> list[tuple[Any, ...]]:
    return [row.task["args"] for row in OrmQ.objects.all() if row.task["func"] == function]


def states() -> dict[str, str]:
    return dict(VectorIndex.objects.values_list("model", "state"))


def found(project: Project, question: str) -> list[str]:
    """Return the names of the documents that are near, nearest first."""
    ids = nearest(project.pk, question, 10, None).chunk_ids
    names = dict(Chunk.objects.values_list("pk", "document__name"))
    return [names[pk] for pk in ids]


def test_a_document_that_was_read_has_a_vector_for_each_chunk(models: FakeModels) -> None:
    document = add_read(make_project(), "lease.txt", LEASE)
    assert (vectors.EMBED_JOB, document.pk) in [(vectors.EMBED_JOB, *args) for args in jobs(vectors.EMBED_JOB)]

    vectors.embed_document(document.pk)

    assert Vector.objects.count() == document.chunks.count() > vectors.BATCH / 2
    assert states() == {"first": "serving"}
    rows = [np.frombuffer(data, "<f4") for data in Vector.objects.values_list("data", flat=True)]
    assert np.allclose(np.linalg.norm(rows, axis=1), 1)


def test_a_document_that_comes_in_the_middle_of_a_search_is_found_by_the_next(
    models: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = make_project()
    vectors.embed_document(add_read(project, "lease.txt", "The tenant pays on the first of the month.").pk)
    assert found(project, "tenant") == ["lease.txt"]
    read_new = ProjectVectors._read_new

    def after_another(held: ProjectVectors) -> None:
        monkeypatch.setattr(ProjectVectors, "_read_new", read_new)
        vectors.embed_document(add_read(project, "letter.txt", "The cellar is under water.").pk)
        read_new(held)

    monkeypatch.setattr(ProjectVectors, "_read_new", after_another)
    found(project, "cellar")
    assert found(project, "cellar")[0] == "letter.txt"


def test_embedding_again_computes_nothing_again(models: FakeModels) -> None:
    document = add_read(make_project(), "lease.txt", LEASE)
    vectors.embed_document(document.pk)
    encoded = len(models.there["first"].encoded)
    vectors.embed_document(document.pk)
    assert len(models.there["first"].encoded) == encoded


def test_a_job_that_was_killed_goes_on_where_it_was(models: FakeModels, monkeypatch: pytest.MonkeyPatch) -> None:
    document = add_read(make_project(), "lease.txt", LEASE)
    monkeypatch.setattr(vectors, "BATCH", 4)
    store = vectors._store
    stored: list[Any] = []

    def killed(*args: Any) -> bool:
        if len(stored) == 2:
            raise SystemExit
        stored.append(args)
        return store(*args)

    monkeypatch.setattr(vectors, "_store", killed)
    with pytest.raises(SystemExit):
        vectors.embed_document(document.pk)
    assert Vector.objects.count() == 8
    monkeypatch.setattr(vectors, "_store", store)
    models.there["first"].encoded.clear()

    vectors.embed_document(document.pk)

    assert Vector.objects.count() == document.chunks.count()
    # The dimension's probe is no chunk; what was stored before the kill is not computed again.
    assert len(models.there["first"].encoded) == document.chunks.count() - 8


def test_a_long_document_lets_uploads_go_first(models: FakeModels, monkeypatch: pytest.MonkeyPatch) -> None:
    document = add_read(make_project(), "lease.txt", LEASE)
    OrmQ.objects.all().delete()
    monkeypatch.setattr(vectors, "SLICE_S", 0.0)
    vectors.embed_document(document.pk)
    assert jobs(vectors.EMBED_JOB) == [(document.pk,)]


def test_an_answer_that_is_being_made_has_the_processor_for_a_while(
    models: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder = models.use("first")
    waits: list[int] = []
    monkeypatch.setattr(vectors, "is_present", lambda kind: kind is Presence.ASKING and len(waits) < 3)
    monkeypatch.setattr("time.sleep", lambda _: waits.append(len(encoder.encoded)))
    document = add_read(make_project(), "lease.txt", LEASE)
    vectors.embed_document(document.pk)
    assert waits == waits[:1] * 3  # nothing was embedded meanwhile
    assert Vector.objects.count() == document.chunks.count()
    monkeypatch.setattr(vectors, "is_present", lambda _: True)
    monkeypatch.setattr(vectors, "GIVES_WAY_S", 0.0)  # somebody asks without an end
    other = add_read(make_project("Other"), "other.txt", LEASE.replace("tenant", "owner"))
    vectors.embed_document(other.pk)
    assert Vector.objects.filter(chunk__document=other).count() == other.chunks.count()


def test_a_document_removed_while_it_is_embedded_leaves_nothing(
    models: FakeModels, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = add_read(make_project(), "lease.txt", LEASE)
    store = vectors._store

    def removed_first(*args: Any) -> bool:
        remove_document(document)
        return store(*args)

    monkeypatch.setattr(vectors, "_store", removed_first)
    vectors.embed_document(document.pk)
    assert not Vector.objects.exists()
    vectors.embed_document(document.pk)
    assert not Vector.objects.exists()


def test_a_document_that_is_not_answerable_is_left_alone(models: FakeModels) -> None:
    document = add_read(make_project(), "lease.txt", "The rent is 900 euros.")
    Document.objects.filter(pk=document.pk).update(state=Document.State.QUEUED)
    vectors.embed_document(document.pk)
    assert not Vector.objects.exists()


def test_a_project_without_search_by_meaning_costs_nothing_until_it_is_switched_on(models: FakeModels) -> None:
    project = make_project()
    document = add_read(project, "lease.txt", "The rent is 900 euros.")
    Project.objects.update(vectors=False)
    vectors.embed_document(document.pk)
    assert not Vector.objects.exists()

    Project.objects.update(vectors=True)
    vectors.catch_up()
    assert jobs(vectors.BUILD_JOB) == [()]
    vectors.build_index()
    assert Vector.objects.count() == 1


def test_nothing_is_put_in_line_when_nothing_is_missing(models: FakeModels) -> None:
    vectors.catch_up()
    document = add_read(make_project(), "lease.txt", "The rent is 900 euros.")
    vectors.embed_document(document.pk)
    vectors.catch_up()
    assert jobs(vectors.BUILD_JOB) == []


def test_documents_without_vectors_get_them_after_a_start(models: FakeModels) -> None:
    add_read(make_project(), "lease.txt", "The rent is 900 euros.")
    vectors.catch_up()
    assert jobs(vectors.BUILD_JOB) == [()]
    vectors.build_index()
    assert indexes.progress() == indexes.Progress(1, 1)


def test_a_model_that_is_not_there_stops_no_job_and_loses_nothing(models: FakeModels) -> None:
    document = add_read(make_project(), "lease.txt", "The rent is 900 euros.")
    models.settings.EMBEDDINGS = "missing"
    vectors.embed_document(document.pk)
    vectors.catch_up()
    assert not Vector.objects.exists()
    models.use("first")
    vectors.catch_up()
    vectors.build_index()
    assert Vector.objects.count() == 1


class TestAnotherModel:
    """BAD-INPUTS 30: the old index serves until the new one is whole."""

    @pytest.fixture
    def project(self, models: FakeModels) -> Project:
        project = make_project()
        vectors.embed_document(add_read(project, "lease.txt", "The rent of the flat is 900 euros.").pk)
        vectors.embed_document(add_read(project, "rules.txt", "No dog in the house.").pk)
        return project

    def test_the_old_index_serves_until_the_new_one_is_whole(
        self, project: Project, models: FakeModels, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        models.use("second", dim=32)
        models.ready("first")
        monkeypatch.setattr(vectors, "BATCH", 1)
        stored = vectors._store

        def look_then_store(*args: Any) -> bool:
            assert found(project, "hound")[0] == "rules.txt"
            assert states() == {"first": "serving", "second": "building"}
            return stored(*args)

        monkeypatch.setattr(vectors, "_store", look_then_store)
        vectors.catch_up()
        vectors.build_index()

        assert states() == {"second": "serving"}
        assert set(Vector.objects.values_list("index__model", flat=True)) == {"second"}
        models.ready("second")
        assert found(project, "hound")[0] == "rules.txt"

    def test_an_upload_meanwhile_is_found_before_and_after_the_change(
        self, project: Project, models: FakeModels
    ) -> None:
        models.use("second", dim=32)
        document = add_read(project, "pets.txt", "The cat may stay.")
        vectors.embed_document(document.pk)
        models.ready("first")
        assert states() == {"first": "serving", "second": "building"}
        assert found(project, "cat")[0] == "pets.txt"
        vectors.build_index()
        models.ready("second")
        assert found(project, "cat")[0] == "pets.txt"

    def test_going_back_keeps_the_old_index_and_deletes_the_half_built_one(
        self, project: Project, models: FakeModels
    ) -> None:
        models.use("second", dim=32)
        indexes.to_fill()
        assert states() == {"first": "serving", "second": "building"}
        models.use("first")
        encoded = list(models.there["first"].encoded)
        vectors.build_index()
        assert states() == {"first": "serving"}
        assert models.there["first"].encoded == encoded

    def test_a_model_that_is_gone_is_replaced_at_once_since_nothing_can_be_asked_of_its_vectors(
        self, project: Project, models: FakeModels
    ) -> None:
        del models.there["first"]
        models.use("second")
        indexes.to_fill()
        assert states() == {"first": "retired", "second": "serving"}
        vectors.build_index()
        assert states() == {"second": "serving"}

    def test_other_files_under_the_same_name_are_another_model(self, project: Project, models: FakeModels) -> None:
        models.use("first", dim=32)
        models.ready("first")
        assert nearest(project.pk, "hound", 5, None) == Meaning(note=NOT_BUILT)
        vectors.build_index()
        assert list(VectorIndex.objects.values_list("dim", "state")) == [(32, "serving")]
        assert found(project, "hound")[0] == "rules.txt"

    def test_the_same_files_under_another_name_are_the_same_model(
        self, project: Project, models: FakeModels, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(models, "fingerprint", lambda name: "same")
        models.use("first")
        vectors.build_index()
        models.use("/models/first")
        vectors.build_index()
        assert states() == {"/models/first": "serving"}

    def test_the_switch_waits_for_the_last_chunk(self, project: Project, models: FakeModels) -> None:
        models.use("second")
        indexes.to_fill()
        assert not indexes.switch_if_whole()
        vectors.build_index()
        assert states() == {"second": "serving"}
