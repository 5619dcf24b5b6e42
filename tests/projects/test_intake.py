"""Adding, reading, retrying and removing documents, as a person sees them."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.conf import settings
from django_q.models import OrmQ
from hypothesis import given
from hypothesis import strategies as st

from inference.fake import FakeEngine
from projects.intake import pipeline, store
from projects.intake.names import MAX_NAME, clean_name
from projects.intake.service import IntakeError, add_file, remove_document, remove_project, retry_document
from projects.jobs import ingest_document
from projects.models import Chunk, Document, Section
from projects.retrieval.lexical import search
from tests.builders import pdf
from tests.projects.factories import add_read, make_project

RENT = "The monthly rent is 900 euros."


def stored_files() -> list[Path]:
    return [path for path in Path(settings.FILES_DIR).rglob("*") if path.is_file() and path.name != "lock"]


@pytest.fixture(autouse=True)
def _empty_store() -> Iterator[None]:
    yield
    for path in stored_files():
        path.unlink()


@pytest.mark.django_db
def test_a_file_is_stored_for_the_owner_alone_and_put_in_line() -> None:
    added = add_file(make_project(), "lease.txt", [RENT.encode()])

    document = Document.objects.get(pk=added.document_id)
    path = store.path_of(document.sha256)
    assert path.read_text() == RENT
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (document.state, document.size) == ("queued", len(RENT))
    assert OrmQ.objects.count() == 1


@pytest.mark.django_db
def test_the_same_bytes_twice_are_one_document_with_two_names() -> None:
    project = make_project()
    first = add_file(project, "lease.txt", [b"The monthly ", b"rent"])
    second = add_file(project, "copy.txt", [b"The monthly rent"])

    assert (first.duplicate, second.duplicate) == (False, True)
    assert first.document_id == second.document_id
    names = Document.objects.get().names.values_list("name", flat=True)
    assert (list(names), OrmQ.objects.count()) == (["lease.txt", "copy.txt"], 1)


@pytest.mark.django_db
def test_a_file_beyond_the_limit_is_refused_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MAX_UPLOAD_BYTES", 1024 * 1024)

    with pytest.raises(IntakeError, match=r"big\.txt is larger than 1 MB"):
        add_file(make_project(), "big.txt", [b"x" * 1024 * 1024, b"x"])

    assert stored_files() == []
    assert not Document.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["", "   ", "..", "/", "\x00"])
def test_a_file_without_a_name_is_refused(name: str) -> None:
    with pytest.raises(IntakeError, match="no name"):
        add_file(make_project(), name, [b"x"])


@pytest.mark.parametrize(
    ("given_name", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\Users\\ada\\lease.pdf", "lease.pdf"),
        ("a & b [1].txt", "a & b [1].txt"),
        ("租约.pdf", "租约.pdf"),
        ("Mu\u0308ller.txt", "M\u00fcller.txt"),
        ("line\nbreak\u202e.txt", "linebreak.txt"),
        ("x" * 300 + ".pdf", "x" * 251 + ".pdf"),
    ],
)
def test_names_are_kept_as_people_write_them_without_folders_and_control_characters(given_name: str, kept: str) -> None:
    assert clean_name(given_name) == kept


@given(st.text(max_size=400))
def test_a_clean_name_is_clean_and_never_a_path(name: str) -> None:
    cleaned = clean_name(name)

    assert len(cleaned) <= MAX_NAME
    assert not {"/", "\\", "\x00", "\n"} & set(cleaned)
    assert cleaned not in {".", ".."}
    assert clean_name(cleaned) == cleaned


@pytest.mark.django_db
def test_a_read_document_is_ready_with_its_pages_and_found_by_its_words() -> None:
    project = make_project()

    document = add_read(project, "lease.pdf", pdf(["Lease", RENT], ["The deposit is 1,800 euros."]))

    assert (document.state, document.pages, document.media_type) == ("ready", 2, "application/pdf")
    assert search(project.pk, "deposit")[0].page_at(0) in {1, 2}


@pytest.mark.django_db
def test_tokens_are_counted_when_a_model_is_there_and_left_open_when_not(fake_inference: FakeEngine) -> None:
    project = make_project()
    assert add_read(project, "lease.txt", RENT).tokens == 6

    fake_inference.state = fake_inference.state.LOADING

    assert add_read(project, "other.txt", "Other words.").tokens is None


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("content", "sentence"),
    [(b"", "The file is empty."), (b"%PDF-1.7", "The PDF is damaged or incomplete: it does not open.")],
    ids=["empty", "damaged"],
)
def test_a_file_that_cannot_be_read_fails_with_its_cause(content: bytes, sentence: str) -> None:
    document = add_read(make_project(), "a.pdf", content)

    assert (document.state, document.error) == ("failed", sentence)
    assert not Chunk.objects.exists()


@pytest.mark.django_db
def test_a_fault_in_a_reader_fails_that_file_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    project = make_project()

    def broken(*_: object) -> None:
        raise RuntimeError("a fault")

    with monkeypatch.context() as patch:
        patch.setattr(pipeline, "extract_isolated", broken)
        bad = add_read(project, "a.txt", "a")

    assert bad.state == "failed"
    assert "fault in Readahead" in bad.error
    assert add_read(project, "b.txt", "b").state == "ready"


@pytest.mark.django_db
@pytest.mark.parametrize("left_in", ["queued", "extracting", "indexing"])
def test_a_job_delivered_again_after_a_kill_starts_clean(left_in: str) -> None:
    document = add_read(make_project(), "lease.txt", RENT)
    Document.objects.filter(pk=document.pk).update(state=left_in)

    ingest_document(document.pk)

    assert Document.objects.get().state == "ready"
    assert (Section.objects.count(), Chunk.objects.count()) == (1, 1)


@pytest.mark.django_db
def test_a_job_for_a_finished_or_removed_document_does_nothing() -> None:
    document = add_read(make_project(), "lease.txt", RENT)
    chunk = Chunk.objects.get()

    ingest_document(document.pk)
    ingest_document(document.pk + 1)

    assert Chunk.objects.get() == chunk


@pytest.mark.django_db
def test_a_document_removed_while_it_is_read_stays_removed(monkeypatch: pytest.MonkeyPatch) -> None:
    added = add_file(make_project(), "lease.txt", [RENT.encode()])

    def remove_meanwhile(_: object) -> None:
        remove_document(Document.objects.get())

    monkeypatch.setattr(pipeline, "_count_tokens", remove_meanwhile)
    ingest_document(added.document_id)

    assert not Document.objects.exists()
    assert not Chunk.objects.exists()
    assert stored_files() == []


@pytest.mark.django_db
def test_a_failed_document_can_be_tried_again_and_one_in_line_is_left_there() -> None:
    document = add_read(make_project(), "lease.txt", RENT)
    Document.objects.update(state="failed", error="cause")
    before = OrmQ.objects.count()

    assert retry_document(document) is True
    assert retry_document(document) is False

    document.refresh_from_db()
    assert (document.state, document.error) == ("queued", "")
    assert OrmQ.objects.count() == before + 1


@pytest.mark.django_db
def test_bytes_stay_while_another_project_has_them_and_go_with_the_last() -> None:
    one, other = make_project("One"), make_project("Other")
    first, second = add_read(one, "a.txt", RENT), add_read(other, "b.txt", RENT)

    remove_document(first)
    assert store.path_of(second.sha256).exists()

    remove_project(other)
    assert stored_files() == []
    assert not Chunk.objects.exists()
