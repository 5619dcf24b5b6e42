"""Documents for the tests of the study, as intake leaves them, and a reader whose clock is the test's."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

from django.db import transaction

from projects.intake.extract.base import Block
from projects.intake.indexing import text_key
from projects.intake.sections import sections_of
from projects.models import Document, Project, Section
from projects.owner import local_owner
from projects.study_texts import StoredTexts
from study.passports.service import make_passport
from study.reader import Reader
from study.service import document_changed


def make_project(name: str = "Papers") -> Project:
    """Return a project of the local user."""
    return Project.objects.get_or_create(owner=local_owner(), name=name)[0]


def add_document(project: Project, name: str, *pages: str, pages_of_file: int | None = None) -> Document:
    """Add a document that has been read by intake, with a task for its study."""
    sha256 = hashlib.sha256(f"{name}{pages}".encode()).hexdigest()
    document = Document.objects.create(project=project, name=name, sha256=sha256, size=1)
    set_text(document, *pages)
    return document


def set_text(document: Document, *pages: str) -> None:
    """Give a document another text, as reading it anew does."""
    blocks = [Block(text, page) for page, text in enumerate(pages, start=1)]
    sections = sections_of(blocks)
    with transaction.atomic():
        document.sections.all().delete()
        Section.objects.bulk_create(
            Section(
                document=document,
                ordinal=ordinal,
                heading=list(section.heading),
                page_start=section.page_start,
                page_end=section.page_end,
                text=section.text,
            )
            for ordinal, section in enumerate(sections)
        )
        document.state, document.pages, document.text_key = Document.State.READY, len(pages), text_key(sections)
        document.save()
        make_passport(document.pk, document.name, sections, len(pages))
        document_changed(document.pk)


@dataclass
class Mains:
    """A machine whose plug the test holds."""

    unplugged: bool = False

    def on_battery(self) -> bool:
        """See `study.conditions.PowerSource`."""
        return self.unplugged


@dataclass
class Clock:
    """Seconds that pass when the test says so, and while the reader pauses."""

    now: float = 1_000_000.0
    pauses: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        """Let the pause be over at once."""
        self.pauses.append(seconds)
        self.now += seconds


def a_reader(power: Mains | None = None, clock: Clock | None = None) -> Reader:
    """Return a reader on mains with a clock of its own."""
    watch = clock or Clock()
    return Reader(StoredTexts(), power or Mains(), watch, watch.pause)
