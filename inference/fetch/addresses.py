"""Fetching a model from an address that a person gives: which file that is, and what it must stand up to."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote, urlsplit, urlunsplit

from inference.catalogue import ModelEntry, find_file
from inference.errors import ModelFailed
from inference.fetch.attempt import Wanted
from inference.fetch.errors import Unusable
from inference.fetch.https import WebSource, endpoint, same_origin
from inference.fetch.jobs import Job
from inference.gguf_check import check_beginning, require_chat_model

LONGEST_NAME = 200
"""Characters; file systems take 255 bytes, and names beside it get an ending more."""
_NAME = re.compile(r"[^\W_][\w.+=@,() -]*\.gguf")
_SHA256 = re.compile(r"[0-9a-f]{64}")


def normalised(address: str) -> str:
    """Return the address of the file itself. Raises Unusable for one that cannot be fetched.

    The page of a file in a model repository is taken for the file.
    """
    address = address.strip()
    try:
        parts = urlsplit(address)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        raise Unusable(f"{address} is not an address.") from None
    if parts.scheme not in ("http", "https") or not parts.hostname or not port_is_fine:
        raise Unusable("Give an address that begins with https:// (or http://) and names a .gguf file.")
    if parts.username or parts.password:
        raise Unusable("Leave name and password out of the address: it is shown and kept.")
    path = parts.path
    if same_origin(address, endpoint()):
        path = path.replace("/blob/", "/resolve/", 1)
    return urlunsplit((parts.scheme, parts.netloc, path, parts.query, ""))


def file_name(address: str) -> str:
    """Return the name that the file at an address will have among the models. Raises Unusable."""
    name = unquote(urlsplit(address).path.rpartition("/")[2])
    if len(name) > LONGEST_NAME or not _NAME.fullmatch(name):
        raise Unusable("The address does not end in the name of a .gguf file.")
    return name


def checksum(text: str) -> str:
    """Return a SHA-256 as a person gives it, empty for none. Raises Unusable."""
    text = text.strip().lower().removeprefix("sha256:")
    if text and not _SHA256.fullmatch(text):
        raise Unusable("A SHA-256 has 64 digits and letters from a to f.")
    return text


def job_of_address(address: str, models_dir: Path, sha256: str = "") -> Job:
    """Return the job of the file at an address, which must have the checksum if there is one. Raises Unusable.

    A file that is called like one of the catalogue must be that one.
    """
    address, sha256 = normalised(address), checksum(sha256)
    name = file_name(address)
    source = WebSource(address)
    if entry := find_file(name):
        return Job(entry.id, models_dir / name, _as_in_catalogue(entry, sha256), [source])
    wanted = Wanted(sha256=sha256, look=lambda path: _usable(check_beginning, path, name))
    return Job(name, models_dir / name, wanted, [source], lambda path: _usable(require_chat_model, path, name))


def _as_in_catalogue(entry: ModelEntry, sha256: str) -> Wanted:
    if sha256 not in ("", entry.sha256):
        raise Unusable(f"{entry.file} of the catalogue has another checksum: {entry.sha256}.")
    return Wanted(entry.bytes, entry.sha256)


def _usable(check: Callable[[Path, str], object], path: Path, name: str) -> None:
    try:
        check(path, name)
    except ModelFailed as error:
        raise Unusable(error.message) from error
