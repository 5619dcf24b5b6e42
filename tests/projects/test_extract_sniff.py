"""A file's true type: told by its content whatever its name, and named in a sentence where nobody reads it."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects.intake.extract import Context, ExtractionError, extract, sniff
from projects.intake.extract.decoding import decode_beginning
from tests.builders import docx, pdf
from tests.cfb import compound

Sniff = Callable[[bytes, str], str]


@pytest.fixture
def type_of(tmp_path: Path) -> Sniff:
    """Return a function that tells the type of bytes under a name."""

    def true_type(content: bytes, name: str) -> str:
        path = tmp_path / "stored"
        path.write_bytes(content)
        return sniff.true_type(path, name)

    return true_type


def packed(*names: str, **contents: bytes) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in names:
            archive.writestr(name, "x")
        for name, content in contents.items():
            archive.writestr(name.replace("_", "."), content)
    return buffer.getvalue()


def opendocument(kind: str) -> bytes:
    return packed("content.xml", mimetype=f"application/vnd.oasis.opendocument.{kind}".encode())


MAIL = b"Received: by mx\r\nFrom: ada@example.org\r\nTo: bob@example.org\r\nSubject: Rent\r\n\r\nThe rent is due.\r\n"
PAGE = b"<!DOCTYPE html><html><head><title>Lease</title></head><body><p>x</p></body></html>"
GIF = b"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00;"

READABLE: dict[str, tuple[Callable[[], bytes], str]] = {
    "pdf": (lambda: pdf(["x"]), sniff.PDF),
    "docx": (lambda: docx(lambda document: document.add_paragraph("x")), sniff.DOCX),
    "docx-other-part": (lambda: packed("word/document2.xml"), sniff.DOCX),
    "pptx": (lambda: packed("ppt/presentation.xml"), sniff.PPTX),
    "xlsx": (lambda: packed("xl/workbook.xml"), sniff.XLSX),
    "odt": (lambda: opendocument("text"), sniff.ODT),
    "ott": (lambda: opendocument("text-template"), sniff.ODT),
    "odt-without-mimetype": (lambda: packed(content_xml=b"<a><office:body><office:text>"), sniff.ODT),
    "ods": (lambda: opendocument("spreadsheet"), sniff.ODS),
    "epub": (lambda: packed("META-INF/container.xml", mimetype=b"application/epub+zip"), sniff.EPUB),
    "rtf": (lambda: b"{\\rtf1\\ansi The rent is 900 euros.}", sniff.RTF),
    "doc": (lambda: compound({"WordDocument": b"x", "1Table": b"x"}), sniff.DOC),
    "xls": (lambda: compound({"Workbook": b"x" * 5_000}), sniff.XLS),
    "xls-5": (lambda: compound({"Book": b"x"}), sniff.XLS),
    "ppt": (lambda: compound({"PowerPoint Document": b"x"}), sniff.PPT),
    "msg": (lambda: compound({"__properties_version1.0": b"x", "__attach_version1.0_#00000000/a": b""}), sniff.MSG),
    "html": (lambda: PAGE, sniff.HTML),
    "html-utf-16": (lambda: PAGE.decode().encode("utf-16"), sniff.HTML),
    "xhtml": (lambda: b'<?xml version="1.0"?>\n<!-- saved -->\n' + PAGE, sniff.HTML),
    "mail": (lambda: MAIL, sniff.EML),
    "json": (lambda: b'{"rent": 900}', sniff.JSON),
    "json-lines": (lambda: b'{"rent": 900}\n{"rent": 950}\n', sniff.JSON),
    "png": (lambda: b"\x89PNG\r\n\x1a\n....", sniff.PNG),
    "jpeg": (lambda: b"\xff\xd8\xff\xe0....", sniff.JPEG),
    "tiff": (lambda: b"II*\x00....", sniff.TIFF),
    "tiff-motorola": (lambda: b"MM\x00*....", sniff.TIFF),
    "text": (lambda: b"The rent is 900 euros.", sniff.PLAIN),
}


@pytest.mark.parametrize("name", ["report.docx", "report", "report.xyz"], ids=["other-ending", "none", "unknown"])
@pytest.mark.parametrize("kind", READABLE)
def test_a_file_is_known_by_its_content_whatever_it_is_called(type_of: Sniff, kind: str, name: str) -> None:
    build, media_type = READABLE[kind]

    assert type_of(build(), name) == media_type


def test_every_type_that_has_a_reader_is_recognised(type_of: Sniff) -> None:
    from projects.intake.extract.registry import _READERS

    by_content = {media_type for _, media_type in READABLE.values()}

    assert by_content | {sniff.CSV, sniff.MARKDOWN} == set(_READERS)


@pytest.mark.parametrize(
    ("name", "content", "media_type"),
    [
        ("a.csv", b"Name;Rent\nAda;900\nBob;950\n", sniff.CSV),
        ("a.tsv", b"Name\tRent\nAda\t900\n", sniff.CSV),
        ("a.csv", b"Nothing in here is a table.\nIt was only called one\n", sniff.PLAIN),
        ("a.txt", b"Name;Rent\nAda;900\nBob;950\n", sniff.PLAIN),
        ("a.md", b"# Plan\n", sniff.MARKDOWN),
        ("a.md", b'{"rent": 900}', sniff.MARKDOWN),
        ("a.html", b"A page without a tag.", sniff.HTML),
        ("a.json", b'{"rent": 900, broken', sniff.JSON),
        ("a.eml", b"Subject: Rent\n\nDue.", sniff.EML),
        ("a.emlx", b"64\nSubject: Rent\n\nDue.", sniff.EML),
        ("a.eml", b"This is no mail.\n\nAt all: nothing.", sniff.PLAIN),
        ("a.mht", b"From: <Saved>\nMIME-Version: 1.0\nContent-Type: multipart/related\n\n", sniff.EML),
    ],
    ids=[
        "csv",
        "tsv",
        "csv-in-name",
        "csv-as-text",
        "markdown",
        "json-in-markdown",
        "html-in-name",
        "broken-json",
        "short-mail",
        "apple-mail",
        "mail-in-name",
        "web-archive",
    ],
)
def test_the_ending_tells_kinds_of_text_apart(type_of: Sniff, name: str, content: bytes, media_type: str) -> None:
    assert type_of(content, name) == media_type


def test_a_beginning_that_ends_within_a_letter_is_decoded_all_the_same(type_of: Sniff) -> None:
    assert decode_beginning("Größe".encode()[:-2]) == "Grö"
    assert type_of(b"Gr" + "ö".encode() * sniff.HEAD, "a.txt") == sniff.PLAIN


@pytest.mark.parametrize(
    "text",
    [
        "ID3 is a decision tree learner.",
        "MZ Motorrad built motorcycles.",
        "Rar! The market calls.",
        "GIF87 history",
        "GIF89a was the second version.",
        "SQLite format 3 is old.",
        "Each file begins with %PDF- and a version.",
        "<html> is the outermost tag of a page.",
        "<head> and <body> follow it, then </body>.",
        "PK is how archives begin.",
        "{\\rtfm stands for something else.}",
        "[1] A footnote\n[2] Another one",
        "[1, 2, 3]",
        "{not json}",
        "Note: the rent is due.\nAlso: the deposit.\n\nFrom: March on.",
        "From: Ada\nTo: Bob\nSubject: a mail pasted into a note, without what programs add\n\nHello",
    ],
)
def test_a_text_that_begins_like_another_kind_of_file_is_text(type_of: Sniff, text: str) -> None:
    assert type_of(text.encode(), "a.txt") == sniff.PLAIN


REFUSED: dict[str, tuple[Callable[[], bytes], str]] = {
    "truncated-zip": (lambda: packed("word/document.xml", "a")[:60], "damaged or incomplete"),
    "truncated-ole": (lambda: compound({"WordDocument": b"x" * 9_000})[:700], "damaged or incomplete"),
    "zip": (lambda: packed("notes.txt"), "a ZIP archive. Unpack it"),
    "empty-zip": (packed, "a ZIP archive"),
    "xlsb": (lambda: packed("xl/workbook.bin"), r"\.xlsb\). Save it as .xlsx"),
    "odp": (lambda: opendocument("presentation"), "an OpenDocument presentation or drawing"),
    "pages": (lambda: packed("Index/Document.iwa"), "an Apple iWork document"),
    "jar": (lambda: packed("META-INF/MANIFEST.MF"), "a program"),
    "visio": (lambda: compound({"VisioDocument": b"x"}), "a Visio drawing"),
    "unknown-ole": (lambda: compound({"Contents": b"x"}), "an old format of Office"),
    "gif": (lambda: GIF, "a GIF picture"),
    "webp": (lambda: b"RIFF\x24\x00\x00\x00WEBPVP8 ", "a WebP picture"),
    "heic": (lambda: b"\x00\x00\x00\x18ftypheic\x00\x00\x00\x00", "a HEIC or AVIF picture. Save it as JPEG"),
    "mp3": (lambda: b"ID3\x03\x00\x00\x00\x00\x0f\x76TIT2", "a sound file"),
    "wav": (lambda: b"RIFF\x24\x00\x00\x00WAVEfmt ", "a sound file"),
    "mp4": (lambda: b"\x00\x00\x00\x18ftypmp42\x00\x00\x00\x00", "a film"),
    "exe": (lambda: b"MZ\x90\x00\x03\x00\x00\x00\x04\x00\x00\x00\xff\xff", "a program"),
    "elf": (lambda: b"\x7fELF\x02\x01\x01\x00", "a program"),
    "rar": (lambda: b"Rar!\x1a\x07\x00", "a RAR archive"),
    "gzip": (lambda: b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "a gzip archive"),
    "tar": (lambda: b"a.txt".ljust(257, b"\0") + b"ustar\x0000", "a tar archive"),
    "sqlite": (lambda: b"SQLite format 3\x00\x10\x00", "an SQLite database"),
    "access": (lambda: b"\x00\x01\x00\x00Standard ACE DB\x00", "an Access database"),
    "postscript": (lambda: b"%!PS-Adobe-3.0\n%%Title: x", "a PostScript file. Save it as PDF"),
    "gguf": (lambda: b"GGUF\x03\x00\x00\x00", "a language model"),
    "control-characters": (lambda: bytes(range(1, 32)) * 20, "Unknown file type"),
    "low-bytes": (lambda: bytes(range(24)), "Unknown file type"),
    "binary": (lambda: b"key\x01\x00\x02\x00val\x00\x00", "Unknown file type"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_is_named_by_its_true_type(type_of: Sniff, kind: str) -> None:
    build, sentence = REFUSED[kind]

    with pytest.raises(ExtractionError, match=sentence):
        type_of(build(), "report.docx")


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(sorted(READABLE)), st.integers(0, 3_000), st.binary(max_size=60), st.booleans())
def test_damage_is_refused_with_a_sentence_or_read(
    type_of: Sniff, kind: str, place: int, noise: bytes, is_cut: bool
) -> None:
    sound = READABLE[kind][0]()
    damaged = sound[:place] + noise + (b"" if is_cut else sound[place + len(noise) :])

    try:
        assert "/" in type_of(damaged, "report.docx")
    except ExtractionError as error:
        assert error.message.endswith((".", ").")), error.message  # noqa: PT017 - either outcome is right


def test_a_locked_office_file_is_told_from_an_old_one(type_of: Sniff) -> None:
    assert type_of(compound({"EncryptedPackage": b"x", "EncryptionInfo": b"x"}), "secret.docx") == sniff.LOCKED


def test_a_packed_bomb_is_not_opened(type_of: Sniff, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("projects.intake.extract.packed.MAX_UNPACKED", 1_000)
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", "x" * 10_000)

    with pytest.raises(ExtractionError, match="more than any document holds"):
        type_of(buffer.getvalue(), "bomb.docx")


def test_a_pdf_with_another_ending_is_read_as_a_pdf(tmp_path: Path) -> None:
    path = tmp_path / "stored"
    path.write_bytes(pdf(["The rent is 900 euros."]))
    found: Any = extract(path, Context("lease.docx"))

    assert (found.media_type, found.blocks[0].text) == (sniff.PDF, "The rent is 900 euros.")
