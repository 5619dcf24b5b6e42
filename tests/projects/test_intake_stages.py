"""The stages of a reading as a person sees them: progress, cancelling, passwords, attachments, new versions."""

from __future__ import annotations

import hashlib
import shutil
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db import connection
from django_q.models import OrmQ

from projects.intake import attachments, giving_way, indexing, pipeline, store
from projects.intake.pipeline import ingest
from projects.intake.recovery import recover
from projects.intake.service import (
    INGEST_JOB,
    IntakeError,
    add_file,
    cancel_document,
    remove_document,
    replace_document,
    retry_document,
)
from projects.jobs import ingest_document
from projects.models import Chunk, Document, Project
from projects.retrieval.lexical import search
from study.passports.service import passport_of
from study.queue import ids_in_line
from tests.projects.factories import add_read, make_project
from tests.projects.standin import reader, stand_in

RENT = "The monthly rent is 900 euros."
HANG = "context.progress(3, 300)\ntime.sleep(60)"
LOCKED = (
    "if not context.password: raise PasswordNeeded('The PDF is protected by a password.')\n"
    "if context.password != 'geheim': raise PasswordNeeded('The password does not open it.')\n"
    "return Extraction('application/pdf', (Block('Opened.', 1),), 1)"
)

MAIL = """
found = []
for number, line in enumerate(path.read_text().splitlines()):
    name, colon, content = line.partition(': ')
    if colon:
        inner = context.folder / str(number)
        inner.write_text(content)
        found.append(Attachment(name, inner))
return Extraction('message/rfc822', (Block(path.read_text()),), attachments=tuple(found))"""
"""A reader of files that hold others, one a line: 'name: content'."""


def now(document: Document) -> Document:
    return Document.objects.get(pk=document.pk)


def queued(name: str = "scan.pdf", content: bytes = b"bytes", project: Project | None = None) -> Document:
    added = add_file(project or make_project(), name, [content])
    return Document.objects.get(pk=added.document_id)


def read_all() -> None:
    while waiting := Document.objects.filter(state=Document.State.QUEUED).order_by("pk").first():
        ingest(waiting.pk)


@pytest.fixture(autouse=True)
def _empty_store() -> Iterator[None]:
    yield
    for sha256 in store.contents():
        store.remove(sha256)
    shutil.rmtree(settings.HOME / "recognised", ignore_errors=True)


@pytest.fixture
def reading() -> Iterator[list[threading.Thread]]:
    """Readings in threads of their own; over at the end."""
    threads: list[threading.Thread] = []
    yield threads
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def begin(document: Document, reading: list[threading.Thread]) -> None:
    """Read a document aside, and return once its progress shows."""

    def run() -> None:
        try:
            ingest(document.pk)
        finally:
            connection.close()

    reading.append(threading.Thread(target=run))
    reading[-1].start()
    deadline = time.monotonic() + 30
    while not now(document).stage_done:
        assert time.monotonic() < deadline
        time.sleep(0.02)


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
def test_attachments_become_documents_of_their_own_with_their_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, reader(MAIL))
    mail = queued("mail.eml", b"lease.txt: The rent.\n../../evil.txt: Out?\n")
    read_all()

    assert now(mail).state == "ready"
    names = {document.name: document.parent_id for document in Document.objects.exclude(pk=mail.pk)}
    assert names == {"lease.txt": mail.pk, "evil.txt": mail.pk}
    assert not any((settings.HOME / "unpacked").iterdir())

    assert retry_document(mail)
    read_all()
    assert Document.objects.count() == 3

    remove_document(mail)
    assert not Document.objects.exists()
    assert store.contents() == []


@pytest.mark.django_db
def test_an_attachment_that_came_another_way_too_outlives_its_mail(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, reader(MAIL))
    project = make_project()
    one = queued("one.eml", b"a.txt: Shared.\nb.txt: Added too.\nc.txt: One alone.", project)
    other = queued("other.eml", b"again.txt: Shared.\n", project)
    read_all()
    add_file(project, "mine.txt", [b"Added too."])
    shared = Document.objects.get(name="a.txt")
    assert sorted(shared.names.values_list("name", flat=True)) == ["a.txt", "again.txt"]

    remove_document(one)

    left = {document.name: document.parent_id for document in Document.objects.all()}
    assert left == {"other.eml": None, "again.txt": other.pk, "mine.txt": None}


@pytest.mark.django_db
def test_attachments_beyond_the_limits_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, reader(MAIL))
    monkeypatch.setattr(attachments, "MOST_FILES", 2)
    mail = queued("mail.eml", b"".join(b"%d.txt: Text %d.\n" % (n, n) for n in range(9)))
    read_all()
    assert now(mail).warnings == [
        "The first 2 attachments were added. Not added: 2.txt, 3.txt, 4.txt, 5.txt, 6.txt and 2 more."
    ]
    assert mail.attachments.count() == 2


@pytest.mark.django_db
def test_attachments_within_attachments_are_followed_five_levels_down(monkeypatch: pytest.MonkeyPatch) -> None:
    stand_in(monkeypatch, reader(MAIL))
    queued("0.eml", b"1.eml: 2.eml: 3.eml: 4.eml: 5.eml: 6.eml: The end.")
    read_all()
    assert sorted(Document.objects.values_list("name", flat=True)) == [f"{level}.eml" for level in range(6)]
    assert Document.objects.get(name="5.eml").warnings == [
        "Files within files are read 5 levels deep. Not added: 6.eml."
    ]


@pytest.mark.django_db
def test_an_attachment_outside_its_folder_is_not_taken(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("Not part of the mail.")
    stand_in(
        monkeypatch,
        reader(
            f"link = context.folder / 'link'\nlink.symlink_to({str(secret)!r})\n"
            f"found = (Attachment('a.txt', Path({str(secret)!r})), Attachment('b.txt', link))\n"
            "return Extraction('message/rfc822', (Block('Mail.'),), attachments=found)"
        ),
    )
    mail = queued("mail.eml")
    read_all()
    assert len(now(mail).warnings) == 2
    assert Document.objects.count() == 1


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


SCAN = """
from projects.intake.extract.kept_pages import read_pages
from projects.intake.extract.layout import Line, Page, blocks_of
from projects.intake.extract.page_report import How, PageRead
def recognise(number):
    with (path.parent / 'recognised').open('a') as log: log.write(f'{number} ')
    time.sleep(0.15)
    return PageRead(Page(number, (Line(f'This is page {number}.'),)), How.OCR, unsure=number)
reads = list(read_pages(6, context, recognise))
return Extraction('application/pdf', tuple(blocks_of([read.page for read in reads])), 6)"""
"""A reader of scans: each page takes a while, and it is noted which ones were recognised."""


@pytest.fixture
def recognised() -> Iterator[Path]:
    path = store.path_of(hashlib.sha256(b"bytes").hexdigest()).parent / "recognised"
    path.unlink(missing_ok=True)
    yield path
    path.unlink(missing_ok=True)


@pytest.mark.django_db
def test_a_long_scan_gives_way_to_what_came_after_it_and_goes_on_where_it_was(
    monkeypatch: pytest.MonkeyPatch, recognised: Path
) -> None:
    monkeypatch.setattr(giving_way, "TURN_S", 0.5)
    monkeypatch.setattr(giving_way, "LOOK_EVERY_S", 0.1)
    stand_in(monkeypatch, reader(SCAN))
    scan = queued()
    queued("note.txt", b"A note.", scan.project)

    ingest_document(scan.pk)
    waiting = now(scan)
    assert (waiting.state, waiting.starts) == ("queued", 0)
    assert waiting.stage_done < 6
    assert list((settings.HOME / "recognised" / str(scan.pk)).glob("*.json"))
    assert OrmQ.objects.count() == 3

    OrmQ.objects.all().delete()
    ingest_document(scan.pk)
    assert (now(scan).state, now(scan).pages) == ("ready", 6)
    text = " ".join(Chunk.objects.values_list("text", flat=True))
    assert [text.count(f"This is page {number}.") for number in range(1, 7)] == [1] * 6
    assert now(scan).stage_from > 0
    pages = [int(number) for number in recognised.read_text().split()]
    assert set(pages) == set(range(1, 7))
    assert len(pages) <= 7
    assert not (settings.HOME / "recognised" / str(scan.pk)).exists()


@pytest.mark.django_db
def test_a_scan_alone_in_line_is_read_in_one_go(monkeypatch: pytest.MonkeyPatch, recognised: Path) -> None:
    monkeypatch.setattr(giving_way, "TURN_S", 0.1)
    stand_in(monkeypatch, reader(SCAN))
    scan = queued()
    ingest_document(scan.pk)
    assert now(scan).state == "ready"
    assert recognised.read_text() == "1 2 3 4 5 6 "


@pytest.mark.django_db(transaction=True)
def test_nothing_recognised_is_kept_of_a_scan_that_was_cancelled_or_removed(
    monkeypatch: pytest.MonkeyPatch, reading: list[threading.Thread], recognised: Path
) -> None:
    stand_in(monkeypatch, reader(SCAN.replace("0.15", "1")))
    project = make_project()
    for end in (cancel_document, remove_document):
        scan = queued(project=project)
        retry_document(scan)
        begin(scan, reading)
        assert list((settings.HOME / "recognised" / str(scan.pk)).iterdir())
        end(scan)
        reading[-1].join(10)
        assert not (settings.HOME / "recognised" / str(scan.pk)).exists()


LARGE = b"\n\n".join(
    b"# Part %d\n\nThe rent of flat %d is %d euros. " % (n, n, 900 + n) + b"Words. " * 300 for n in range(60)
)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents of more than a few sections are large."""
    monkeypatch.setattr(indexing, "SECTIONS", 5)
    monkeypatch.setattr(pipeline, "PARTS_AT_ONCE", 2)


def contents(document: Document) -> list[tuple[int, int, str]]:
    rows = document.chunks.order_by("ordinal").select_related("section")
    return [(chunk.ordinal, chunk.section.ordinal, chunk.text) for chunk in rows]


@pytest.mark.django_db
def test_a_large_document_is_written_in_parts_and_is_the_same(in_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    large = add_read(make_project(), "large.md", LARGE)
    parts = contents(large)
    monkeypatch.setattr(pipeline, "PARTS_AT_ONCE", 1000)
    whole = contents(add_read(make_project("Other"), "large.md", LARGE))

    assert large.state == "ready"
    assert parts == whole
    assert [ordinal for ordinal, _, _ in parts] == list(range(len(parts)))
    assert len(search(large.project_id, "rent of flat 59")) > 0


@pytest.mark.django_db
@pytest.mark.parametrize("written", [0, 1, 5])
def test_a_large_document_cancelled_half_way_leaves_nothing_and_can_be_read_again(
    in_parts: None, monkeypatch: pytest.MonkeyPatch, written: int
) -> None:
    document = queued("large.md", LARGE)
    write = indexing.write
    calls: list[int] = []

    def cancel_after(*arguments: Any) -> None:
        write(*arguments)
        calls.append(1)
        if len(calls) == written + 1:
            cancel_document(document)

    monkeypatch.setattr(indexing, "write", cancel_after)
    ingest(document.pk)
    assert now(document).state == "cancelled"
    assert not Chunk.objects.exists()

    monkeypatch.setattr(indexing, "write", write)
    assert retry_document(document)
    ingest(document.pk)
    assert now(document).state == "ready"
    assert len(contents(document)) == Chunk.objects.count() > 20


@pytest.mark.django_db
def test_a_large_document_killed_half_way_starts_clean(in_parts: None, monkeypatch: pytest.MonkeyPatch) -> None:
    document = queued("large.md", LARGE)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(pipeline, "make_passport", die)
    with pytest.raises(KeyboardInterrupt):
        ingest(document.pk)
    assert (now(document).state, Chunk.objects.exists()) == ("indexing", True)
    assert search(document.project_id, "rent of flat 59") == []

    monkeypatch.undo()
    recover()
    ingest(document.pk)
    assert now(document).state == "ready"
    assert [ordinal for ordinal, _, _ in contents(document)] == list(range(Chunk.objects.count()))
