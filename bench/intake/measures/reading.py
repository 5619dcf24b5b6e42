"""Reading: pages a second of PDFs with a text layer, the memory it takes, and that cost grows with the pages alone."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import psutil

from bench.intake.files import printed
from bench.intake.run import Intake
from bench.report import Figure
from projects.intake.extract import Context
from projects.intake.extract.isolated import extract_isolated
from projects.intake.pipeline import ingest
from projects.intake.service import add_file, remove_document
from projects.models import Document, Project
from projects.owner import local_owner

MEMORY_MIB = 1024
"""The most that the process may take which has a large PDF open."""
GROWTH = 1.25
"""Times the cost of a page in a document of a quarter of the pages."""
LOOK_S = 0.02


def run(intake: Intake) -> list[Figure]:
    """Read a document and one of a quarter of its pages, and take the larger one in."""
    sizes = intake.options.sizes
    large, small = intake.folder / "large.pdf", intake.folder / "small.pdf"
    large.write_bytes(printed(sizes.pages))
    small.write_bytes(printed(sizes.pages // 4))
    startup = median(_seconds(_blank(intake.folder)) for _ in range(sizes.repetitions))
    with watched() as memory:
        spent = [_seconds(large) for _ in range(sizes.repetitions)]
    quarter = [_seconds(small) for _ in range(sizes.repetitions)]
    page = (median(spent) - startup) / sizes.pages
    page_of_quarter = (median(quarter) - startup) / (sizes.pages // 4)
    whole = median(_taken_in(large, number) for number in range(sizes.repetitions))
    detail = f"{sizes.pages} full pages, median of {sizes.repetitions}, the process that reads is started each time"
    grown = f"seconds for a page in {sizes.pages} pages over those in {sizes.pages // 4}, less the start of the process"
    return [
        Figure("reading", "pages with a text layer read", sizes.pages / median(spent), "pages/s", detail=detail),
        Figure("reading", "the same, searchable by words", sizes.pages / whole, "pages/s"),
        Figure(
            "reading", "cost of a page as pages grow fourfold", page / page_of_quarter, "×", GROWTH, "at most", grown
        ),
        Figure("reading", "memory of the process that reads", memory.most / 2**20, "MiB", MEMORY_MIB, "at most"),
    ]


def _seconds(path: Path) -> float:
    began = time.perf_counter()
    extract_isolated(path, Context(path.name))
    return time.perf_counter() - began


def _blank(folder: Path) -> Path:
    path = folder / "one.pdf"
    path.write_bytes(printed(1))
    return path


def _taken_in(path: Path, number: int) -> float:
    """Return the seconds from the stored bytes to a document that is found by its words."""
    project, _ = Project.objects.get_or_create(owner=local_owner(), name="Reading")
    content = path.read_bytes() + b"\n%" + str(number).encode()
    document = Document.objects.get(pk=add_file(project, path.name, [content]).document_id)
    began = time.perf_counter()
    ingest(document.pk)
    spent = time.perf_counter() - began
    document.refresh_from_db()
    if not document.is_answerable:
        raise AssertionError(document.error)
    remove_document(document)
    return spent


@dataclass
class Memory:
    """The most bytes that any process started meanwhile has held."""

    most: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def look(self) -> None:
        me = psutil.Process()
        while not self._over.wait(LOOK_S):
            for child in me.children(recursive=True):
                try:
                    self.most = max(self.most, child.memory_info().rss)
                except psutil.NoSuchProcess:
                    continue

    def end(self) -> None:
        self._over.set()


@contextmanager
def watched() -> Iterator[Memory]:
    """Watch the memory of the processes that are started in the block."""
    memory = Memory()
    thread = threading.Thread(target=memory.look, daemon=True)
    thread.start()
    try:
        yield memory
    finally:
        memory.end()
        thread.join()
