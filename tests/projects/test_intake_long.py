"""Long readings: scans that give way and go on, and large documents that are written in parts."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django_q.models import OrmQ

from projects.intake import giving_way, indexing, pipeline, store
from projects.intake.pipeline import ingest
from projects.intake.recovery import recover
from projects.intake.service import cancel_document, remove_document, retry_document
from projects.jobs import ingest_document
from projects.models import Chunk, Document
from projects.retrieval.lexical import search
from tests.projects.factories import add_read, make_project
from tests.projects.readings import begin, now, queued
from tests.projects.standin import reader, stand_in

pytestmark = pytest.mark.usefixtures("empty_store")

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
