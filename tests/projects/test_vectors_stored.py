"""What the database itself refuses of vectors, whatever program writes them."""

from __future__ import annotations

import pytest
from django.db import IntegrityError, transaction

from projects.intake.service import remove_document
from projects.models import Chunk, Vector, VectorIndex
from tests.projects.embedding import FakeModels
from tests.projects.factories import add_read, make_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def chunk(models: FakeModels) -> Chunk:
    document = add_read(make_project(), "lease.txt", "The rent is 900 euros.")
    VectorIndex.objects.create(key="a", model="first", dim=2, state="serving")
    return document.chunks.get()


@pytest.mark.parametrize("data", [b"", b"1234567", b"123456789", bytes(16)], ids=["0", "7", "9", "16"])
def test_a_vector_of_another_length_is_refused(chunk: Chunk, data: bytes) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Vector.objects.create(index_id="a", chunk=chunk, data=data)


def test_a_vector_of_a_backend_without_an_index_is_refused(chunk: Chunk) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Vector.objects.create(index_id="b", chunk=chunk, data=bytes(8))


def test_a_chunk_has_one_vector_in_an_index(chunk: Chunk) -> None:
    Vector.objects.create(index_id="a", chunk=chunk, data=bytes(8))
    with pytest.raises(IntegrityError), transaction.atomic():
        Vector.objects.create(index_id="a", chunk=chunk, data=bytes(8))


def test_a_vector_does_not_move_to_another_index(chunk: Chunk) -> None:
    VectorIndex.objects.create(key="b", model="second", dim=2)
    Vector.objects.create(index_id="a", chunk=chunk, data=bytes(8))
    with pytest.raises(IntegrityError), transaction.atomic():
        Vector.objects.update(index_id="b")


def test_an_index_keeps_its_dimension(chunk: Chunk) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        VectorIndex.objects.update(dim=3)


@pytest.mark.parametrize("state", ["serving", "building"])
def test_one_index_serves_and_one_is_built(chunk: Chunk, state: str) -> None:
    VectorIndex.objects.get_or_create(state=state, defaults={"key": "b", "model": "second", "dim": 2})
    with pytest.raises(IntegrityError), transaction.atomic():
        VectorIndex.objects.create(key="c", model="third", dim=2, state=state)


def test_a_removed_document_takes_its_vectors_with_it(chunk: Chunk) -> None:
    Vector.objects.create(index_id="a", chunk=chunk, data=bytes(8))
    remove_document(chunk.document)
    assert not Vector.objects.exists()
