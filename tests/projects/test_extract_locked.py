"""Locked office files: opened by their password, which is asked for where it is missing or wrong."""

from __future__ import annotations

import struct
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from projects.intake.extract import Context, ExtractionError, PasswordNeeded, extract, sniff
from projects.intake.extract.base import Extraction
from tests.builders import docx
from tests.cfb import compound
from tests.office import read, texts, xlsx

WORD = docx(lambda document: document.add_paragraph("The rent is 900 euros."))
EXCEL = xlsx(lambda workbook: workbook.active.append(["Rent", 900]))


def locked(content: bytes, password: str) -> bytes:
    """Return a new office file as Office locks it."""
    from msoffcrypto.format.ooxml import OOXMLFile

    out = BytesIO()
    OOXMLFile(BytesIO(content)).encrypt(password, out)
    return out.getvalue()


@pytest.fixture
def opened(tmp_path: Path) -> Any:
    """Return a function that reads a file with a password, with room for what is unpacked."""

    def open_with(content: bytes, password: str = "") -> Extraction:
        room = tmp_path / "room"
        room.mkdir(exist_ok=True)
        try:
            return read(extract, content, tmp_path, Context("secret.docx", password, folder=room))
        finally:
            assert list(room.iterdir()) == [], "an opened copy was left behind"

    return open_with


@pytest.mark.parametrize(("content", "media_type"), [(WORD, sniff.DOCX), (EXCEL, sniff.XLSX)], ids=["docx", "xlsx"])
def test_the_right_password_opens_a_file_as_what_it_is(opened: Any, content: bytes, media_type: str) -> None:
    found = opened(locked(content, "geheim"), "geheim")

    assert "900" in texts(found)[0]
    assert found.media_type == media_type


def test_a_missing_password_is_asked_for_and_a_wrong_one_named(opened: Any) -> None:
    content = locked(WORD, "geheim")

    with pytest.raises(PasswordNeeded, match="The document is protected by a password"):
        opened(content)
    with pytest.raises(PasswordNeeded, match="The password does not open it"):
        opened(content, "guess")


def test_a_file_that_is_merely_write_protected_opens_without_a_password(opened: Any) -> None:
    assert texts(opened(locked(EXCEL, "VelvetSweatshop"))) == ["Rent | 900"]


def test_an_old_locked_workbook_asks_for_its_password(opened: Any) -> None:
    begin = struct.pack("<HHHHHHII", 0x0809, 16, 0x0600, 5, 0, 0, 0, 0)
    lock = struct.pack("<HHHHH", 0x002F, 54, 1, 1, 1) + bytes(range(48))
    end = struct.pack("<HH", 0x000A, 0)
    content = compound({"Workbook": begin + lock + end})

    with pytest.raises(PasswordNeeded, match="The document is protected by a password"):
        opened(content)
    with pytest.raises(PasswordNeeded, match="The password does not open it"):
        opened(content, "guess")


@pytest.mark.parametrize(
    "description",
    [b"x", b"\x04\x00\x04\x00\x40\x00\x00\x00<broken", b"\x09\x00\x09\x00" + b"x" * 99],
    ids=["cut off", "broken", "unknown"],
)
def test_a_broken_lock_says_so(opened: Any, description: bytes) -> None:
    content = compound({"EncryptionInfo": description, "EncryptedPackage": b"x" * 99})

    with pytest.raises(ExtractionError, match=r"damaged: it does not open|locked in a way that Readahead cannot open"):
        opened(content, "geheim")
