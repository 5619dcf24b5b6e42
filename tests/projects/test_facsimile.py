"""Tests of pages as printed: the picture, where the quoted words stand on it, and what a bad file can do: nothing."""

from __future__ import annotations

import io
import sys
from pathlib import Path

import pytest
from PIL import Image

from projects.facsimile import drawing, pages
from projects.facsimile.pages import Original, PageNotDrawn, Place, Printed, printed
from projects.facsimile.wire import Wanted
from projects.intake.extract.sniff import PDF, PNG, TIFF
from tests.builders import pdf

LEASE = pdf(
    ["Lease of a flat."],
    ["The rent is 900 euros a month.", "It is due on the third working day", "of the month."],
)
RENT: Wanted = {"quote": "The rent is 900 euros", "words": []}


def stored(folder: Path, content: bytes, media_type: str = PDF) -> Original:
    path = folder / "original"
    path.write_bytes(content)
    return Original(path, media_type)


def image(page: Printed) -> Image.Image:
    return Image.open(io.BytesIO(page.picture)).convert("L")


def darkest(page: Printed, place: Place) -> int:
    """Return the darkest grey within a place: 255 if there is nothing but paper."""
    box = (place.left, place.top, place.left + place.width, place.top + place.height)
    return int(image(page).crop(box).getextrema()[0])  # type: ignore[arg-type]


def test_the_place_of_a_quote_is_where_its_words_are_printed(tmp_path: Path) -> None:
    page = printed(stored(tmp_path, LEASE), 2, [RENT], draw=True)
    assert page.pages == 2
    assert image(page).size == (page.width, page.height) == (drawing.WIDTH, 1812)
    (place,) = page.places
    scale = page.width / 612
    assert place.left == pytest.approx(50 * scale, abs=3)
    assert place.top < (792 - 740) * scale < place.top + place.height
    assert darkest(page, place) < 128
    assert darkest(page, Place(place.left, 0, place.width, place.top - 5)) > 240


def test_a_quote_over_two_lines_has_a_place_on_each(tmp_path: Path) -> None:
    quote: Wanted = {"quote": "third working day of the month", "words": []}
    first, second = printed(stored(tmp_path, LEASE), 2, [quote]).places
    assert first.top + first.height <= second.top + 2
    assert first.left > second.left


def test_of_a_passage_the_words_alone_can_be_wanted(tmp_path: Path) -> None:
    page = printed(
        stored(tmp_path, LEASE), 2, [{"quote": "The rent is 900 euros a month.", "words": ["rent", "month"]}]
    )
    rent, euros = page.places
    assert rent.left < euros.left
    assert rent.width < 80


def test_words_that_are_not_there_have_no_place_and_pages_need_not_be_drawn(tmp_path: Path) -> None:
    page = printed(stored(tmp_path, LEASE), 1, [RENT])
    assert page.places == ()
    assert page.picture == b""


@pytest.mark.parametrize("turned", [90, 180, 270])
def test_a_page_that_is_turned_has_its_places_turned(tmp_path: Path, turned: int) -> None:
    upright = pdf(["", "", "", "Words in a row"])
    original = stored(tmp_path, upright.replace(b"/MediaBox", f"/Rotate {turned} /MediaBox".encode()))
    page = printed(original, 1, [{"quote": "Words in a row", "words": []}], draw=True)
    assert len(page.places) == 1
    assert (page.width > page.height) == (turned != 180)
    for place in page.places:
        assert darkest(page, place) < 128


def test_a_page_without_end_is_drawn_no_higher_than_the_most(tmp_path: Path) -> None:
    endless = LEASE.replace(b"[0 0 612 792]", b"[0 0 12 14000]")
    page = printed(stored(tmp_path, endless), 1, draw=True)
    assert page.height == drawing.MAX_HEIGHT
    assert page.width < 10


@pytest.mark.parametrize("number", [0, 3, -1, 10**9])
def test_a_page_that_the_file_has_not_is_named(tmp_path: Path, number: int) -> None:
    with pytest.raises(PageNotDrawn, match=f"no page {number}"):
        printed(stored(tmp_path, LEASE), number)


@pytest.mark.parametrize(
    ("content", "media_type"),
    [(b"%PDF-1.7 cut off", PDF), (LEASE[:400], PDF), (b"", PDF), (b"\x89PNG no", PNG), (b"II*\x00" * 9, TIFF)],
    ids=["no pages", "cut off", "empty", "no picture", "no tiff"],
)
def test_a_damaged_file_is_refused_with_a_sentence(tmp_path: Path, content: bytes, media_type: str) -> None:
    with pytest.raises(PageNotDrawn) as caught:
        printed(stored(tmp_path, content, media_type), 1, draw=True)
    assert caught.value.message.endswith(".")


def test_a_picture_file_is_its_own_page(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (200, 100), colour) for colour in ("white", "black")]
    buffer = io.BytesIO()
    frames[0].save(buffer, "TIFF", save_all=True, append_images=frames[1:])
    original = stored(tmp_path, buffer.getvalue(), TIFF)
    first, second = (printed(original, number, draw=True) for number in (1, 2))
    assert (first.pages, first.width, first.height) == (2, 200, 100)
    assert image(first).getpixel((100, 50)) > 250 > 5 > image(second).getpixel((100, 50))  # type: ignore[operator]


def test_a_file_that_hangs_its_reader_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "COMMAND", (sys.executable, "-c", "import time; time.sleep(60)"))
    monkeypatch.setattr(pages, "SECONDS", 0.2)
    with pytest.raises(PageNotDrawn, match="took longer"):
        printed(stored(tmp_path, LEASE), 1)


@pytest.mark.parametrize("end", ["os.abort()", "os.kill(os.getpid(), 9)", "sys.exit(3)"])
def test_a_file_that_brings_its_reader_down_harms_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, end: str
) -> None:
    monkeypatch.setattr(pages, "COMMAND", (sys.executable, "-c", f"import os, sys; sys.stdin.read(); {end}"))
    with pytest.raises(PageNotDrawn, match="failed on this one"):
        printed(stored(tmp_path, LEASE), 1)
    monkeypatch.undo()
    assert printed(stored(tmp_path, LEASE), 1).pages == 2


def test_memory_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MEMORY", 60 * 1024 * 1024)
    with pytest.raises(PageNotDrawn):
        printed(stored(tmp_path, LEASE), 1, draw=True)


def test_pages_wait_for_their_turn_and_say_so_when_it_does_not_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "PATIENCE_S", 0.01)
    for _ in range(pages.AT_ONCE):
        pages._turns.acquire()
    try:
        with pytest.raises(PageNotDrawn, match="Too many pages"):
            printed(stored(tmp_path, LEASE), 1)
    finally:
        for _ in range(pages.AT_ONCE):
            pages._turns.release()


def test_neighbouring_characters_make_one_place_and_a_column_another() -> None:
    line = [(0, 0, 10, 20), (10, 2, 10, 18), (30, 0, 10, 20)]
    assert drawing.merged([*line, (400, 0, 10, 20), (0, 30, 10, 20)]) == [
        (0, 0, 40, 20),
        (400, 0, 10, 20),
        (0, 30, 10, 20),
    ]
