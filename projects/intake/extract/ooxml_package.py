"""Opens the packages of Word, PowerPoint and Excel in the form that the libraries read."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from projects.intake.extract.base import Context
from projects.intake.extract.packed import refuse_declarations, unpacking

_RELATIONS = "_rels/.rels"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"
"""What Office calls 'Strict Open XML' names everything by other addresses, and differs in little else."""


@dataclass(frozen=True)
class Package:
    """A file to hand to a library, and the names of its parts."""

    path: Path
    parts: tuple[str, ...]


@contextmanager
def opened(path: Path, context: Context) -> Iterator[Package]:
    """Check a package and give it for as long as it is read, translated if it is of the strict kind."""
    with unpacking(path) as archive:
        refuse_declarations(archive)
        parts = tuple(archive.namelist())
        is_strict = _RELATIONS in parts and bool(_STRICT.search(archive.read(_RELATIONS)))
    if not is_strict:
        yield Package(path, parts)
        return
    with TemporaryDirectory(prefix="readahead-", dir=context.folder) as folder:
        copy = Path(folder) / "translated"
        _translate(path, copy)
        yield Package(copy, parts)


def _translate(path: Path, copy: Path) -> None:
    with unpacking(path) as strict, zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as translated:
        for name in strict.namelist():
            content = strict.read(name)
            is_xml = name.endswith((".xml", ".rels"))
            translated.writestr(name, _STRICT.sub(_TRANSITIONAL, content) if is_xml else content)
