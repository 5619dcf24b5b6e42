"""Packed files that mean harm, and damaged ones: refused with the reason, in no time, whatever the format."""

from __future__ import annotations

import re
import struct
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from projects.intake.extract import Context, ExtractionError, extract
from projects.intake.extract.base import Extraction
from projects.intake.extract.packed import DAMAGED
from tests.builders import docx
from tests.office import edited, opendocument, packed, pptx, xlsx

GIGABYTE = 1024**3

FORMATS: dict[str, tuple[Callable[[], bytes], str]] = {
    "docx": (lambda: docx(lambda document: document.add_paragraph("text")), "word/document.xml"),
    "pptx": (lambda: pptx(slide), "ppt/slides/slide1.xml"),
    "xlsx": (lambda: xlsx(lambda workbook: workbook.active.append(["text"])), "xl/worksheets/sheet1.xml"),
    "odt": (lambda: opendocument("text", "<text:p>text</text:p>"), "content.xml"),
    "ods": (lambda: opendocument("spreadsheet", "<table:table/>"), "content.xml"),
    "epub": (
        lambda: packed({"mimetype": "application/epub+zip", "META-INF/container.xml": "<container/>"}),
        "META-INF/container.xml",
    ),
}


def read(content: bytes, folder: Path) -> Extraction:
    path = folder / "stored"
    path.write_bytes(content)
    return extract(path, Context("report.docx", folder=folder))


def slide(deck: Any) -> None:
    deck.slides.add_slide(deck.slide_layouts[5]).shapes.title.text = "text"


def claiming(content: bytes, name: str, size: int) -> bytes:
    """Return an archive whose directory says that a part unfolds to this many bytes."""
    with zipfile.ZipFile(BytesIO(content)) as archive:
        entry = archive.getinfo(name)
    changed = bytearray(content)
    directory = content.rindex(b"PK\x01\x02", 0, content.rindex(name.encode()) + 1)
    struct.pack_into("<I", changed, directory + 24, size)
    struct.pack_into("<I", changed, entry.header_offset + 22, size)
    return bytes(changed)


@pytest.mark.parametrize("kind", FORMATS)
def test_what_unfolds_to_gigabytes_is_not_opened(kind: str, tmp_path: Path) -> None:
    bomb = FORMATS[kind][0]()
    for number in range(3):  # zip64 apart, no directory can claim more for one part
        bomb = edited(bomb, {f"filler{number}": lambda _: b"x"})
    for number in range(3):
        bomb = claiming(bomb, f"filler{number}", 4 * GIGABYTE - 1)

    with pytest.raises(
        ExtractionError, match=r"The file unpacks to 12,\d+ MB, more than any document holds; it was not"
    ):
        read(bomb, tmp_path)


@pytest.mark.parametrize("kind", FORMATS)
def test_a_part_that_lies_about_its_size_unfolds_no_further(kind: str, tmp_path: Path) -> None:
    build, part = FORMATS[kind]
    lying = claiming(edited(build(), {part: lambda _: b" " * 50_000_000}), part, 1_000)
    begin = time.perf_counter()
    tracemalloc.start()

    try:
        with pytest.raises(ExtractionError):
            read(lying, tmp_path)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
    assert time.perf_counter() - begin < 5


@pytest.mark.parametrize("kind", ["docx", "pptx", "xlsx", "odt", "ods"])
def test_nested_entities_are_refused_in_every_part(kind: str, tmp_path: Path) -> None:
    build, _ = FORMATS[kind]
    nested = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    bomb = edited(build(), {"custom/anything.bin": lambda _: f"<!DOCTYPE x [{nested}]><x>&e11;</x>".encode()})

    with pytest.raises(ExtractionError, match="declares XML entities"):
        read(bomb, tmp_path)


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("share", [0.3, 0.9])
def test_a_file_that_was_cut_off_says_so(kind: str, share: float, tmp_path: Path) -> None:
    content = FORMATS[kind][0]()

    with pytest.raises(ExtractionError) as refused:
        read(content[: int(len(content) * share)], tmp_path)
    assert refused.value.message == DAMAGED


def test_a_part_that_was_changed_on_the_way_says_so(tmp_path: Path) -> None:
    content = bytearray(FORMATS["odt"][0]())
    with zipfile.ZipFile(BytesIO(content)) as archive:
        begin = archive.getinfo("content.xml").header_offset + 30 + len("content.xml")
    content[begin + 20] ^= 0xFF

    with pytest.raises(ExtractionError, match="damaged"):
        read(bytes(content), tmp_path)


@pytest.mark.parametrize("kind", ["docx", "pptx", "xlsx"])
def test_files_saved_as_strict_open_xml_are_read_like_others(kind: str, tmp_path: Path) -> None:
    plain = FORMATS[kind][0]()
    with zipfile.ZipFile(BytesIO(plain)) as archive:
        parts = [name for name in archive.namelist() if name.endswith((".xml", ".rels"))]

    def rename(xml: bytes) -> bytes:
        named = rb"http://schemas\.openxmlformats\.org/(?!package)(\w+)/2006/(\w+)"
        return re.sub(named, rb"http://purl.oclc.org/ooxml/\1/\2", xml)

    found = read(edited(plain, dict.fromkeys(parts, rename)), tmp_path)

    assert found.blocks == read(plain, tmp_path).blocks
    assert [block.text for block in found.blocks if "text" in block.text]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stored"], "the translated copy is gone"
