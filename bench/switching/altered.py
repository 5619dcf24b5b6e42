"""A second small model: a copy of a file under another name, whose header says so, so that its checksum is another."""

from __future__ import annotations

import shutil
from pathlib import Path

NAME = b"general.name"
LENGTHS = 12
"""Bytes between the key and its text in a GGUF header: the type of the value and its length."""


def altered_copy(source: Path, target: Path) -> Path:
    """Copy a model and change one letter of the name in its header. Raises ValueError for a file without a name."""
    shutil.copyfile(source, target)
    with target.open("r+b") as file:
        found = file.read(1 << 16).find(NAME)
        if found < 0:
            raise ValueError(f"{source.name} has no name in its header.")
        place = found + len(NAME) + LENGTHS
        file.seek(place)
        letter = file.read(1)
        file.seek(place)
        file.write(b"X" if letter != b"X" else b"Y")
    return target
