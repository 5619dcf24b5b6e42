"""Old Word and PowerPoint files: converted by LibreOffice, or a sentence that says what to do without it."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any

import pytest

from projects.intake.extract import Context, ExtractionError, legacy
from tests.builders import docx
from tests.cfb import compound
from tests.office import pptx, read, texts

DOC = compound({"WordDocument": b"x" * 99})
PPT = compound({"PowerPoint Document": b"x" * 99})


@pytest.fixture(autouse=True)
def path_of_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have programs looked for in an empty folder first, and LibreOffice nowhere else."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}/usr/bin{os.pathsep}/bin")
    monkeypatch.setattr(legacy, "COMMANDS", ("soffice-of-the-test",))
    return folder


@pytest.fixture
def converts(path_of_programs: Path, tmp_path: Path) -> Any:
    """Return a function that puts a LibreOffice in place which runs this script."""

    def install(script: str) -> None:
        program = path_of_programs / "soffice-of-the-test"
        program.write_text(f'#!/bin/sh\nset -- "$@" "{tmp_path}"\n{script}\n')
        program.chmod(0o700)

    return install


# After the options: --convert-to ENDING --outdir FOLDER FILE, and the test's folder, which is put last.
CONVERT = 'mkdir -p "$8" && cp "${10}/result" "$8/document.$6"'


@pytest.mark.parametrize(
    ("content", "kind", "ending"), [(DOC, "Word document", "docx"), (PPT, "PowerPoint file", "pptx")]
)
def test_without_libreoffice_a_sentence_says_what_to_do(tmp_path: Path, content: bytes, kind: str, ending: str) -> None:
    sentence = (
        f"This is a {kind} in the old .{ending[:3]} format, which Readahead reads with the help of LibreOffice. "
        f"Install LibreOffice, or save it as .{ending}, and add it again."
    )

    with pytest.raises(ExtractionError) as refused:
        read(legacy.extract, content, tmp_path)
    assert refused.value.message == sentence


def test_an_old_document_is_read_as_libreoffice_converts_it(tmp_path: Path, converts: Any) -> None:
    converts(CONVERT)
    (tmp_path / "result").write_bytes(docx(lambda document: document.add_paragraph("The rent is 900 euros.")))

    assert texts(read(legacy.extract, DOC, tmp_path)) == ["The rent is 900 euros."]


def test_an_old_presentation_keeps_its_slides(tmp_path: Path, converts: Any) -> None:
    def build(presentation: Any) -> None:
        presentation.slides.add_slide(presentation.slide_layouts[5]).shapes.title.text = "Costs"

    converts(CONVERT)
    (tmp_path / "result").write_bytes(pptx(build))

    found = read(legacy.extract, PPT, tmp_path)

    assert [(block.page, block.level, block.text) for block in found.blocks] == [(1, 1, "Costs")]


def test_libreoffice_has_a_profile_of_its_own_without_macros_and_leaves_nothing(tmp_path: Path, converts: Any) -> None:
    converts('cat "$HOME/profile/user/registrymodifications.xcu" > "${10}/profile"; echo "$HOME" > "${10}/home"')
    room = tmp_path / "room"
    room.mkdir()

    with pytest.raises(ExtractionError, match="LibreOffice could not open this file: it is damaged"):
        read(legacy.extract, DOC, tmp_path, Context(folder=room))

    assert '"DisableMacrosExecution" oor:op="fuse"><value>true' in (tmp_path / "profile").read_text()
    assert (tmp_path / "home").read_text().startswith(str(room))
    assert list(room.iterdir()) == []


def test_a_conversion_that_hangs_is_ended_with_all_its_processes(
    tmp_path: Path, converts: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(legacy, "SECONDS", 0.5)
    converts('sleep 60 & echo $! > "${10}/child"; wait')

    with pytest.raises(ExtractionError, match="took longer than"):
        read(legacy.extract, DOC, tmp_path)

    child = int((tmp_path / "child").read_text())
    state = Path(f"/proc/{child}/stat")
    deadline = time.monotonic() + 5  # a process that was killed is gone when the system comes to it
    while not (ended := not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"):
        assert time.monotonic() < deadline
    assert ended
