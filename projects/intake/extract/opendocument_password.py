"""Opens OpenDocument files that are locked with a password, into a copy that is gone afterwards."""

from __future__ import annotations

import hashlib
import zipfile
import zlib
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from projects.intake.extract.base import Context, ExtractionError, PasswordNeeded
from projects.intake.extract.ooxml_password import NEEDED, UNKNOWN, WRONG
from projects.intake.extract.packed import MAX_UNPACKED, unpacking, xml_root

MANIFEST = "META-INF/manifest.xml"
_WANTED = ("content.xml", "styles.xml")
_M = "{urn:oasis:names:tc:opendocument:xmlns:manifest:1.0}"
_AES = "http://www.w3.org/2001/04/xmlenc#aes256-cbc"
_STARTS = {"http://www.w3.org/2000/09/xmldsig#sha256", "http://www.w3.org/2001/04/xmlenc#sha256"}
_CHECKED = 1024
"""Bytes of a part, still packed, whose checksum tells a right password from a wrong one."""
MOST_ROUNDS = 10_000_000


@dataclass(frozen=True)
class _Lock:
    """How one part is locked."""

    vector: bytes
    salt: bytes
    rounds: int
    checksum: bytes


def locks(archive: zipfile.ZipFile) -> dict[str, _Lock | None]:
    """Return the locked parts by name, None for a way of locking that is not known; empty for an open file."""
    if MANIFEST not in archive.namelist():
        return {}
    entries = xml_root(archive, MANIFEST).iter(f"{_M}file-entry")
    return {
        entry.get(f"{_M}full-path", ""): _lock(locked)
        for entry in entries
        if (locked := entry.find(f"{_M}encryption-data")) is not None
    }


@contextmanager
def unlocked(path: Path, context: Context, found: dict[str, _Lock | None]) -> Iterator[Path]:
    """Give an opened copy of a locked file for as long as it is read.

    It lies in a folder of its own, private to this user. Raises PasswordNeeded when the password is missing or wrong,
    ExtractionError for a way of locking that is not known.
    """
    wanted = {name: found[name] for name in _WANTED if name in found}
    if not wanted or None in wanted.values():
        raise ExtractionError(UNKNOWN)
    if not context.password:
        raise PasswordNeeded(NEEDED)
    with TemporaryDirectory(prefix="readahead-", dir=context.folder) as folder:
        copy = Path(folder) / "opened"
        with unpacking(path) as archive, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as opened:
            for name in archive.namelist():
                lock = wanted.get(name)
                if name != MANIFEST:
                    content = archive.read(name)
                    opened.writestr(name, _opened(content, lock, context.password) if lock else content)
        yield copy


def _lock(element: Any) -> _Lock | None:
    algorithm, derivation = element.find(f"{_M}algorithm"), element.find(f"{_M}key-derivation")
    start = element.find(f"{_M}start-key-generation")
    if algorithm is None or derivation is None or start is None:
        return None
    rounds = int(derivation.get(f"{_M}iteration-count", 0))
    if (
        algorithm.get(f"{_M}algorithm-name") != _AES
        or derivation.get(f"{_M}key-derivation-name") != "PBKDF2"
        or start.get(f"{_M}start-key-generation-name") not in _STARTS
        or not 0 < rounds <= MOST_ROUNDS
    ):
        return None
    return _Lock(
        b64decode(algorithm.get(f"{_M}initialisation-vector", "")),
        b64decode(derivation.get(f"{_M}salt", "")),
        rounds,
        b64decode(element.get(f"{_M}checksum", "")),
    )


def _opened(content: bytes, lock: _Lock, password: str) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    start = hashlib.sha256(password.encode()).digest()
    key = hashlib.pbkdf2_hmac("sha1", start, lock.salt, lock.rounds, 32)
    decryptor = Cipher(algorithms.AES(key), modes.CBC(lock.vector)).decryptor()
    padded = decryptor.update(content) + decryptor.finalize()
    packed = padded[: -padded[-1]] if padded else b""
    if hashlib.sha256(packed[:_CHECKED]).digest() != lock.checksum:
        raise PasswordNeeded(WRONG)
    return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, MAX_UNPACKED)
