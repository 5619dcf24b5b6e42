"""Files within files: documents of their own that know where they came from."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from projects.intake import attachments, store
from projects.intake.service import add_file, remove_document, retry_document
from projects.models import Document
from tests.projects.factories import make_project
from tests.projects.readings import now, queued, read_all
from tests.projects.standin import reader, stand_in

pytestmark = pytest.mark.usefixtures("empty_store")

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
