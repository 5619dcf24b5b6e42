"""What belongs to a PDF beside its pages: locks, forms, notes and files within it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from projects.intake.extract import pdf, pdf_attached
from projects.intake.extract.base import Context, Extraction, PasswordNeeded
from tests.pdfs import At, Leaf, box, locked, pdf_of, read_pdf, text_field, text_of, typed_on, with_files, written

Read = Callable[..., Extraction]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return partial(read_pdf, tmp_path)


def test_a_locked_pdf_asks_for_its_password_and_reads_with_it(read: Read) -> None:
    content = locked(pdf_of(written("The rent is 900 euros.")), user="Schlüssel", owner="other")

    with pytest.raises(PasswordNeeded, match="protected by a password"):
        read(content)
    with pytest.raises(PasswordNeeded, match="The password does not open it"):
        read(content, password="wrong")
    assert text_of(read(content, password="Schlüssel")) == "The rent is 900 euros."


def test_a_pdf_locked_for_its_owner_alone_just_reads(read: Read) -> None:
    content = locked(pdf_of(written("The rent is 900 euros.")), user="", owner="secret")

    assert text_of(read(content)) == "The rent is 900 euros."


def test_what_was_filled_ticked_and_typed_into_a_form_is_read(read: Read) -> None:
    annotations = [
        text_field("f1_01", "Lovelace", told="Surname"),
        text_field("born", "1815"),
        text_field("empty", ""),
        box("smoker", "/Yes"),
        box("pets", "/Off"),
        box("payment", "/monthly", kind="/monthly"),
        typed_on("since the first of May"),
        typed_on("Is that right?", kind="Text"),
    ]

    found = read(pdf_of(Leaf([At(50, 700, "Application")], annotations=annotations)))

    assert text_of(found).split("\n") == [
        "Application",
        "Surname: Lovelace",
        "born: 1815",
        "smoker: yes",
        "payment: monthly",
        "since the first of May",
        "Note: Is that right?",
    ]


def test_a_form_that_only_adobe_shows_is_named(read: Read) -> None:
    found = read(pdf_of(written("Please wait..."), form="/XFA (<xdp/>)"))

    assert found.warnings[0].startswith("This form is of a kind that only Adobe Reader shows (XFA)")


def test_files_within_a_pdf_become_documents(tmp_path: Path) -> None:
    folder = tmp_path / "attached"
    folder.mkdir()
    files = {"terms.txt": b"The terms.", "../plan.txt": b"The plan.", "factur-x.xml": b"<xml/>"}
    path = tmp_path / "stored"
    path.write_bytes(with_files(pdf_of(Leaf()), files))

    found = pdf.extract(path, Context("a.pdf", folder=folder))

    assert {file.name: file.path.read_bytes() for file in found.attachments} == {
        "terms.txt": b"The terms.",
        "plan.txt": b"The plan.",
    }
    assert all(file.path.parent == folder and file.path.stat().st_mode & 0o777 == 0o600 for file in found.attachments)
    assert found.report.left_out == ("The invoice as data for programs (factur-x.xml).",)


def test_files_within_a_pdf_are_named_where_they_are_not_wanted(read: Read) -> None:
    found = read(with_files(pdf_of(written("Invoice 17")), {"a.txt": b"a", "b.txt": b"b"}))

    assert (found.attachments, found.report.left_out) == ((), ("Files attached to the PDF: a.txt, b.txt.",))


def test_files_within_a_pdf_that_unfold_to_too_much_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pdf_attached, "MOST_BYTES", 1500)
    path = tmp_path / "stored"
    path.write_bytes(with_files(pdf_of(written("Invoice 17")), {"a.txt": b"a" * 1000, "b.txt": b"b" * 1000}))
    (folder := tmp_path / "attached").mkdir()

    found = pdf.extract(path, Context("a.pdf", folder=folder))

    assert [file.name for file in found.attachments] == ["a.txt"]
    assert found.report.left_out == ("Files attached to the PDF: b.txt.",)
