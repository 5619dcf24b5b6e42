"""The stages of a reading as a person sees them: progress, cancelling, passwords, new versions."""

from __future__ import annotations

import threading
import time

import pytest
from django.conf import settings
from django_q.models import OrmQ

from projects.intake import store
from projects.intake.pipeline import ingest
from projects.intake.service import (
    INGEST_JOB,
    IntakeError,
    add_file,
    cancel_document,
    remove_document,
    replace_document,
    retry_document,
)
from projects.models import Chunk, Document
from projects.retrieval.lexical import search
from study.passports.service import passport_of
from study.queue import ids_in_line
from tests.projects.factories import add_read, make_project
from tests.projects.readings import begin, now, queued
from tests.projects.standin import reader, stand_in

pytestmark = pytest.mark.usefixtures("empty_store")

RENT = "The monthly rent is 900 euros."
HANG = "context.progress(3, 300)\ntime.sleep(60)"
LOCKED = (
    "if not context.password: raise PasswordNeeded('The PDF is protected by a password.')\n"
    "if context.password != 'geheim': raise PasswordNeeded('The password does not open it.')\n"
    "return Extraction('application/pdf', (Block('Opened.', 1),), 1)"
)


@pytest.mark.django_db(transaction=True)
def test_progress_shows_while_a_file_is_read_and_cancelling_ends_it_within_a_second(
    monkeypatch: pytest.MonkeyPatch, reading: list[threading.Thread]
) -> None:
    stand_in(monkeypatch, reader(HANG))
    document = queued()
    begin(document, reading)
    assert (now(document).state, now(document).stage_done, now(document).stage_total) == ("extracting", 3, 300)

    began = time.monotonic()
    assert cancel_document(document)
    reading[0].join(10)

    assert time.monotonic() - began < 1
    assert now(document).state == "cancelled"
    assert not cancel_document(document)


@pytest.mark.django_db(transaction=True)
def test_removing_a_document_ends_its_reading(monkeypatch: pytest.MonkeyPatch, reading: list[threading.Thread]) -> None:
    stand_in(monkeypatch, reader(HANG))
    document = queued()
    begin(document, reading)

    remove_document(document)
    reading[0].join(10)

    assert not reading[0].is_alive()
    assert not Document.objects.exists()
    assert not any((settings.HOME / "unpacked").iterdir())


@pytest.mark.django_db(transaction=True)
def test_a_second_reader_takes_over_and_the_first_one_stops(
    monkeypatch: pytest.MonkeyPatch, reading: list[threading.Thread]
) -> None:
    document = queued("lease.txt", RENT.encode())
    with monkeypatch.context() as patch:
        stand_in(patch, reader(HANG))
        begin(document, reading)
    ingest(document.pk)
    reading[0].join(10)

    assert not reading[0].is_alive()
    assert (now(document).state, Chunk.objects.count()) == ("ready", 1)


@pytest.mark.django_db
def test_a_document_cancelled_in_line_is_not_read_and_can_be_read_later() -> None:
    document = queued("lease.txt", RENT.encode())
    assert cancel_document(document)
    ingest(document.pk)
    assert now(document).state == "cancelled"

    assert retry_document(document)
    ingest(document.pk)
    assert now(document).state == "ready"


@pytest.mark.django_db
def test_cancelling_a_second_reading_keeps_the_first() -> None:
    document = add_read(make_project(), "lease.txt", RENT)
    assert retry_document(document)
    assert cancel_document(document)

    assert now(document).state == "ready"
    assert search(document.project_id, "rent")


@pytest.mark.django_db
def test_a_locked_file_asks_for_its_password_and_reads_with_it_and_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stand_in(monkeypatch, reader(LOCKED))
    document = queued()
    ingest(document.pk)
    assert (now(document).state, now(document).error) == ("needs_password", "The PDF is protected by a password.")

    assert retry_document(document, "wrong")
    ingest(document.pk)
    assert (now(document).state, now(document).error) == ("needs_password", "The password does not open it.")

    assert retry_document(document, "geheim")
    ingest(document.pk)
    assert (now(document).state, now(document).error) == ("ready", "")


@pytest.mark.django_db
def test_a_reading_leaves_a_report_a_key_of_its_text_and_a_passport(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(
        monkeypatch,
        reader(
            "report = Report(ocr=(2,), left_out=('Macros.',))\n"
            "return Extraction('application/pdf', (Block('The rent is 900 euros.', 1),), 2, ('Page 2.',), report)"
        ),
    )
    document = queued()
    ingest(document.pk)
    read = now(document)

    assert (read.state, read.warnings, read.report["ocr"]) == ("ready_with_warnings", ["Page 2."], [2])
    assert read.report["left_out"] == ["Macros."]
    passport = passport_of(document.pk)
    assert passport is not None
    assert passport.pages == 2

    assert retry_document(document)
    ingest(document.pk)
    assert now(document).text_key == read.text_key != ""


@pytest.mark.django_db
def test_vectors_and_study_get_jobs_of_their_own_once_the_text_is_there() -> None:
    document = add_read(make_project(), "lease.txt", RENT)
    for job in ("projects.jobs.embed_document", "projects.jobs.learned"):
        assert ids_in_line(job) == {document.pk}

    broken = add_read(document.project, "broken.pdf", b"%PDF-1.7 nothing")
    assert broken.pk not in ids_in_line("projects.jobs.learned")


@pytest.mark.django_db
def test_a_reading_that_fails_leaves_nothing_of_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    document = add_read(make_project(), "lease.txt", RENT)
    stand_in(monkeypatch, reader("raise ExtractionError('It is damaged.')"))
    assert retry_document(document)
    ingest(document.pk)

    assert (now(document).state, now(document).text_key, Chunk.objects.count()) == ("failed", "", 0)
    passport = passport_of(document.pk)
    assert passport is not None
    assert passport.fields == ()


@pytest.mark.django_db
def test_a_new_version_takes_the_name_and_the_old_text_is_gone() -> None:
    project = make_project()
    lease = add_read(project, "lease.txt", RENT)
    fresh = replace_document(lease, [b"The monthly rent is 950 euros."])
    ingest(fresh.document_id)

    document = Document.objects.get()
    assert (document.name, document.state) == ("lease.txt", "ready")
    assert [passage.text for passage in search(project.pk, "rent 900 950")] == ["The monthly rent is 950 euros."]
    assert store.contents() == [document.sha256]


@pytest.mark.django_db
def test_a_new_version_that_is_there_already_is_refused_and_changes_nothing() -> None:
    project = make_project()
    lease, other = add_read(project, "lease.txt", RENT), add_read(project, "other.txt", "Other.")
    with pytest.raises(IntakeError, match=r"the content that lease\.txt has already"):
        replace_document(lease, [RENT.encode()])
    with pytest.raises(IntakeError, match=r"has this content already, as other\.txt"):
        replace_document(lease, [b"Other."])
    assert {now(lease).state, now(other).state} == {"ready"}
    assert len(store.contents()) == 2


@pytest.mark.django_db
def test_the_same_name_with_other_bytes_is_another_document_each_with_one_job() -> None:
    project = make_project()
    for content in (b"one", b"one", b"two"):
        add_file(project, "note.txt", [content])
    assert list(Document.objects.values_list("name", flat=True)) == ["note.txt", "note.txt"]
    assert len(ids_in_line(INGEST_JOB)) == OrmQ.objects.count() == 2
