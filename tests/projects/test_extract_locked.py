"""Locked office files: opened by their password, which is asked for where it is missing or wrong."""

from __future__ import annotations

import hashlib
import struct
import zlib
from base64 import b64encode
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from projects.intake.extract import Context, ExtractionError, PasswordNeeded, extract, sniff
from projects.intake.extract.base import Extraction
from tests.builders import docx
from tests.cfb import compound
from tests.office import edited, opendocument, read, texts, xlsx

AES = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
TEXT = opendocument("text", "<text:p>The rent is 900 euros.</text:p>" * 100)
WORD = docx(lambda document: document.add_paragraph("The rent is 900 euros."))
EXCEL = xlsx(lambda workbook: workbook.active.append(["Rent", 900]))


def locked(content: bytes, password: str) -> bytes:
    """Return a new office file as Office locks it."""
    from msoffcrypto.format.ooxml import OOXMLFile

    out = BytesIO()
    OOXMLFile(BytesIO(content)).encrypt(password, out)
    return out.getvalue()


def locked_opendocument(content: bytes, password: str, algorithm: str = AES) -> bytes:
    """Return an OpenDocument file as LibreOffice 7 locks it: each part packed, then enciphered."""
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    salt, vector = b"0123456789abcdef", b"fedcba9876543210"
    key = hashlib.pbkdf2_hmac("sha1", hashlib.sha256(password.encode()).digest(), salt, 1_000, 32)

    def encipher(part: bytes) -> bytes:
        deflate = zlib.compressobj(wbits=-zlib.MAX_WBITS)
        packed = deflate.compress(part) + deflate.flush()
        entries.append((packed, len(part)))
        padding = 16 - len(packed) % 16
        encryptor = Cipher(algorithms.AES(key), modes.CBC(vector)).encryptor()
        return encryptor.update(packed + bytes(padding - 1) + bytes([padding])) + encryptor.finalize()

    entries: list[tuple[bytes, int]] = []
    names = ["content.xml", "styles.xml"]
    enciphered = edited(content, dict.fromkeys(names, encipher))
    return edited(enciphered, {"META-INF/manifest.xml": lambda _: manifest(names, entries, (salt, vector), algorithm)})


def manifest(names: list[str], entries: list[tuple[bytes, int]], lock: tuple[bytes, bytes], algorithm: str) -> bytes:
    salt, vector = (b64encode(part).decode() for part in lock)
    parts = "".join(
        f'<m:file-entry m:full-path="{name}" m:size="{size}"><m:encryption-data m:checksum-type="sha256-1k" '
        f'm:checksum="{b64encode(hashlib.sha256(packed[:1024]).digest()).decode()}">'
        f'<m:algorithm m:algorithm-name="{algorithm}" m:initialisation-vector="{vector}"/>'
        '<m:start-key-generation m:start-key-generation-name="http://www.w3.org/2000/09/xmldsig#sha256"/>'
        f'<m:key-derivation m:key-derivation-name="PBKDF2" m:key-size="32" m:iteration-count="1000" m:salt="{salt}"/>'
        "</m:encryption-data></m:file-entry>"
        for name, (packed, size) in zip(names, entries, strict=True)
    )
    return f'<m:manifest xmlns:m="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0">{parts}</m:manifest>'.encode()


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


def test_a_locked_opendocument_file_opens_with_its_password_alone(opened: Any) -> None:
    content = locked_opendocument(TEXT, "geheim")

    with pytest.raises(PasswordNeeded, match="The document is protected by a password"):
        opened(content)
    with pytest.raises(PasswordNeeded, match="The password does not open it"):
        opened(content, "guess")
    assert texts(opened(content, "geheim"))[0] == "The rent is 900 euros."


def test_an_unknown_way_of_locking_is_said_at_once(opened: Any) -> None:
    content = locked_opendocument(TEXT, "geheim", "http://www.w3.org/2009/xmlenc11#aes256-gcm")

    with pytest.raises(ExtractionError, match="locked in a way that Readahead cannot open") as refused:
        opened(content)
    assert not isinstance(refused.value, PasswordNeeded)
