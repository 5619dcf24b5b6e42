"""Writes a file that was found within another one where its owner alone can read it."""

from __future__ import annotations

import os
from pathlib import Path

from projects.intake.extract.base import Attachment


def save_attachment(folder: Path, number: int, name: str, content: bytes) -> Attachment:
    """Write the content into `folder` under a number, whatever it is called: a name never becomes part of a path."""
    path = folder / str(number)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as out:
        out.write(content)
    return Attachment(name, path)
