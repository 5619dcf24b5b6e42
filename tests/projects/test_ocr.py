"""The recognition itself: without the network, within a reader's memory, and honest about unknown letters."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from projects.intake.extract import ocr
from projects.intake.extract.base import Context
from projects.intake.extract.isolated import extract_isolated
from projects.intake.extract.limits import LEAST_BYTES, Limits
from tests.pdfs import Leaf, pdf_of, picture_of


def test_the_network_is_never_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    ocr._engine.cache_clear()

    found = ocr.recognise(np.asarray(picture_of("The rent is 900 euros.")))

    assert [line.text for line in found] == ["The rent is 900 euros."]
    assert found[0].sure > ocr.SURE


def test_a_picture_without_letters_gives_no_lines() -> None:
    assert ocr.recognise(np.full((200, 300, 3), 255, dtype=np.uint8)) == []


def test_a_line_of_unknown_letters_is_found_and_not_sure(monkeypatch: pytest.MonkeyPatch) -> None:
    from rapidocr import RapidOCR

    recognise = RapidOCR.recognize_txt

    def without_letters(self: RapidOCR, img: Any) -> Any:
        found: Any = recognise(self, img)
        found.txts = tuple("" if "Cyrillic" in text else text for text in found.txts)
        return found

    monkeypatch.setattr(RapidOCR, "recognize_txt", without_letters)

    found = ocr.recognise(np.asarray(picture_of("The rent is 900 euros.", "This is Cyrillic.")))

    assert [(line.text, line.sure > ocr.SURE) for line in found] == [
        ("The rent is 900 euros.", True),
        (ocr.UNKNOWN, False),
    ]


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the address space")
def test_a_scan_is_read_within_the_least_memory_of_a_reader(tmp_path: Path) -> None:
    path = tmp_path / "scan.pdf"
    path.write_bytes(pdf_of(Leaf(picture=picture_of("The rent is 900 euros.", *(["words of a page"] * 12)))))

    found = extract_isolated(path, Context("scan.pdf"), limits=Limits(60, 90, LEAST_BYTES))

    assert found.blocks[0].text.startswith("The rent is 900 euros.")
    assert found.report.ocr == (1,)
