"""Reading PDFs: what comes out of scans, broken fonts and damaged files, and what is said about it."""

from __future__ import annotations

import re
import string
from collections.abc import Callable
from functools import partial
from pathlib import Path

import psutil
import pytest

from projects.intake.extract import ocr
from projects.intake.extract.base import Extraction, ExtractionError
from tests.pdfs import LEASE, At, Leaf, pdf_of, picture_of, read_pdf, text_field, text_of, written

PRIVATE_USE = {letter: chr(0xE000 + ord(letter)) for letter in string.ascii_letters + string.digits + ".,"}
CHECK = "Compare names and figures with the original."

Read = Callable[..., Extraction]
Eyes = Callable[..., list[int]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return partial(read_pdf, tmp_path)


@pytest.fixture
def eyes(monkeypatch: pytest.MonkeyPatch) -> Eyes:
    """Return a function that says what OCR will see on every picture; it returns the heights of those it was shown."""
    shown: list[int] = []

    def will_see(*lines: str, sure: float = 0.99) -> list[int]:
        def recognise(picture: object) -> list[ocr.Found]:
            shown.append(picture.shape[0])  # type: ignore[attr-defined]
            return [seen(line, 40 + 60 * number, sure) for number, line in enumerate(lines)]

        monkeypatch.setattr(ocr, "recognise", recognise)
        return shown

    return will_see


def seen(text: str, top: float, sure: float) -> ocr.Found:
    right = 50 + 16 * len(text)
    return ocr.Found(text, sure, ((50, top), (right, top), (right, top + 30), (50, top + 30)))


def without_page(content: bytes, number: int) -> bytes:
    """Return a PDF one of whose pages is nothing; its length stays the same."""
    start = [match.start() for match in re.finditer(rb"<< /Type /Page /Parent", content)][number - 1]
    end = content.index(b"endobj", start)
    return content[:start] + b"null".ljust(end - start) + content[end:]


def test_a_scan_is_read_by_ocr_and_says_so(read: Read) -> None:
    pages = (picture_of("The monthly rent is 900 euros."), picture_of("The deposit is 1,800 euros."))

    found = read(pdf_of(*(Leaf(picture=picture) for picture in pages)))

    assert [(block.page, block.text) for block in found.blocks] == [
        (1, "The monthly rent is 900 euros."),
        (2, "The deposit is 1,800 euros."),
    ]
    assert found.report.ocr == (1, 2)
    assert found.warnings == (f"Both pages were read by text recognition (OCR). {CHECK}",)


def test_of_a_mixed_document_the_scanned_page_is_named(read: Read) -> None:
    found = read(pdf_of(written("The rent is 900 euros."), Leaf(picture=picture_of("The deposit is 1,800 euros."))))

    assert [(block.page, block.text) for block in found.blocks] == [
        (1, "The rent is 900 euros."),
        (2, "The deposit is 1,800 euros."),
    ]
    assert found.report.ocr == (2,)
    assert found.warnings == (f"Page 2 was read by text recognition (OCR). {CHECK}",)


def test_a_garbled_text_layer_is_read_from_its_picture(read: Read) -> None:
    found = read(pdf_of(written(*LEASE), shown_as=PRIVATE_USE))

    assert "the monthly rent of nine hundred euros" in text_of(found)
    assert found.report.ocr == (1,)
    assert found.warnings == (
        f"The text layer of page 1 is garbled: it was read by text recognition (OCR) instead. {CHECK}",
    )


def test_a_garbled_text_layer_is_kept_with_a_warning_if_ocr_sees_nothing(read: Read, eyes: Eyes) -> None:
    eyes()

    found = read(pdf_of(written(*LEASE), shown_as=dict.fromkeys(string.ascii_letters, "\ufffd")))

    assert found.report.ocr == ()
    assert found.warnings[0] == (
        "The text of page 1 seems garbled, and text recognition (OCR) found none there: it is kept."
    )
    assert found.report.replaced > 100
    assert found.warnings[1].endswith("characters could not be read: the file does not say which they are.")


def test_a_list_of_codes_is_kept_when_its_picture_shows_the_same(read: Read, eyes: Eyes) -> None:
    codes = (
        "EDDF LSZH EGLL KJFK KTLH KLAX EDDM LFPG",
        "EHAM LIRF LEMD EBBR LOWW EKCH ESSA ENGM",
        "EFHK KRKZ KBTV PHNL",
    )
    shown = eyes(*(line.replace("KJFK", "KJEK") for line in codes))

    found = read(pdf_of(written(*codes)))

    assert shown
    assert text_of(found).split() == " ".join(codes).split()
    assert (found.warnings, found.report.ocr) == ((), ())


def test_a_page_of_sound_text_is_not_looked_at(read: Read, eyes: Eyes) -> None:
    shown = eyes("something else")

    found = read(pdf_of(written(*LEASE)))

    assert (shown, found.warnings) == ([], ())


def test_a_stamp_on_a_scan_does_not_hide_it(read: Read, eyes: Eyes) -> None:
    eyes("The monthly rent is 900 euros.", "The deposit is 1,800 euros.", "Scanned by Office")
    scan = Leaf([At(400, 20, "Scanned by Office")], picture_of(*(["line"] * 20)))

    found = read(pdf_of(scan))

    assert "The monthly rent is 900 euros." in text_of(found)
    assert text_of(found).count("Scanned") == 1
    assert found.report.ocr == (1,)


def test_a_picture_with_a_caption_keeps_its_caption(read: Read, eyes: Eyes) -> None:
    eyes("Figure 1: the house in spring", "No 4")
    photograph = Leaf([At(50, 20, "Figure 1: the house in spring")], picture_of(*([""] * 20)))

    found = read(pdf_of(photograph))

    assert text_of(found) == "Figure 1: the house in spring"
    assert (found.warnings, found.report.ocr) == ((), ())
    assert found.report.left_out == ("What pictures show (page 1).",)


def test_a_blank_page_is_no_cause_for_a_warning(read: Read, eyes: Eyes) -> None:
    shown = eyes("what is not there")

    found = read(pdf_of(written("The rent is 900 euros."), Leaf()))

    assert (found.pages, found.warnings, found.report.unreadable, shown) == (2, (), (), [])


def test_pages_on_which_ocr_finds_nothing_are_named(read: Read, eyes: Eyes) -> None:
    eyes()
    drawing = Leaf(drawing="100 100 300 300 re f")

    found = read(pdf_of(written("The rent is 900 euros."), drawing, drawing, drawing, Leaf(), drawing))

    assert found.report.unreadable == (2, 3, 4, 6)
    assert found.warnings == ("No text was found on pages 2–4, 6 by text recognition (OCR).",)


def test_doubtful_lines_are_counted_and_illegible_ones_left_out(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [seen("The rent is 900 euros.", 40, 0.99), seen("The depos1t", 100, 0.7), seen("~*", 160, 0.2)]
    lines.append(seen("a long line in letters that are not known", 220, 0.9))
    lines[-1] = ocr.Found("00", 0.9, lines[-1].corners)
    monkeypatch.setattr(ocr, "recognise", lambda picture: lines)

    found = read(pdf_of(Leaf(drawing="100 100 300 300 re f")))

    assert text_of(found) == "The rent is 900 euros.\nThe depos1t"
    assert found.warnings[1:] == (
        "1 line could be read only with doubt and may be wrong.",
        "1 line could not be deciphered and is left out. OCR knows Latin letters, Chinese and Japanese.",
    )


def test_a_recognition_that_breaks_down_costs_one_page(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(picture: object) -> list[ocr.Found]:
        raise ocr.OcrFailed

    monkeypatch.setattr(ocr, "recognise", fail)

    found = read(pdf_of(written("The rent is 900 euros."), Leaf(drawing="100 100 300 300 re f")))

    assert found.report.unreadable == (2,)


@pytest.mark.parametrize(
    ("leaf", "sentence"),
    [
        (Leaf(), "There is no text in this PDF: its pages are blank."),
        (Leaf(drawing="9 9 99 99 re f"), "No text was found: the pages are pictures, and text recognition"),
    ],
    ids=["blank", "drawn"],
)
def test_a_pdf_without_any_text_fails_and_says_why(read: Read, eyes: Eyes, leaf: Leaf, sentence: str) -> None:
    eyes()

    with pytest.raises(ExtractionError) as caught:
        read(pdf_of(leaf, leaf))

    assert caught.value.message.startswith(sentence)


def test_a_form_that_was_scanned_has_both_its_picture_and_its_values(read: Read, eyes: Eyes) -> None:
    eyes("Application for a flat")
    form = Leaf(drawing="100 100 300 300 re f", annotations=[text_field("Surname", "Lovelace")])

    assert text_of(read(pdf_of(form))).split("\n") == ["Application for a flat", "Surname: Lovelace"]


def test_every_one_of_300_pages_is_told(read: Read) -> None:
    told: list[tuple[int, int]] = []

    found = read(
        pdf_of(*(written(f"This is page {number}.") for number in range(1, 301))),
        progress=lambda done, total: told.append((done, total)),
    )

    assert told == [(number, 300) for number in range(1, 301)]
    assert (found.pages, found.blocks[299].text, found.blocks[299].page) == (300, "This is page 300.", 300)


def test_pictures_of_pages_do_not_stay_in_memory(read: Read, eyes: Eyes) -> None:
    eyes("The rent is 900 euros.")
    used: list[int] = []

    read(
        pdf_of(*(Leaf(drawing=f"100 100 300 {number + 1} re f") for number in range(24))),
        progress=lambda done, total: used.append(psutil.Process().memory_info().rss),
    )

    page = 1700 * 2200 * 3
    assert used[-1] - used[3] < 8 * page


def test_pages_that_do_not_open_are_named_and_cost_no_other(read: Read) -> None:
    whole = pdf_of(written("The rent is 900 euros."), written("lost"), written("The deposit is 1,800 euros."))

    found = read(without_page(whole, 2))

    assert [(block.page, block.text) for block in found.blocks] == [
        (1, "The rent is 900 euros."),
        (3, "The deposit is 1,800 euros."),
    ]
    assert found.report.unreadable == (2,)
    assert found.warnings == ("Not read, since damaged: page 2.",)


def test_a_pdf_of_which_no_page_opens_is_damaged(read: Read) -> None:
    with pytest.raises(ExtractionError, match="none of its pages opens"):
        read(without_page(pdf_of(written("lost")), 1))
