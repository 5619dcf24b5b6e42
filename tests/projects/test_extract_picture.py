"""Reading pictures: text by OCR, whichever way up and in whatever colours, and a sentence when there is none."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from projects.intake.extract import ocr, picture
from projects.intake.extract.base import Context, Extraction, ExtractionError
from tests.pdfs import picture_of, saved

RENT = "The monthly rent is 900 euros."

Read = Callable[..., Extraction]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def read_bytes(content: bytes, progress: Callable[[int, int], None] | None = None) -> Extraction:
        path = tmp_path / "stored"
        path.write_bytes(content)
        return picture.extract(path, Context("a", progress=progress or (lambda done, total: None)))

    return read_bytes


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What OCR is shown: it finds a line on each picture, and nothing on a black one."""
    pictures: list[Any] = []

    def recognise(pixels: Any) -> list[ocr.Found]:
        pictures.append(pixels)
        corners = ((0.0, 0.0), (400.0, 0.0), (400.0, 30.0), (0.0, 30.0))
        return [ocr.Found(f"picture {len(pictures)}", 0.99, corners)]

    monkeypatch.setattr(ocr, "recognise", recognise)
    return pictures


def half_red() -> Image.Image:
    """Return a picture whose upper half is red, on white."""
    seen = Image.new("RGB", (1200, 1000), "white")
    seen.paste((255, 0, 0), (0, 0, 1200, 500))
    return seen


def test_a_picture_of_text_is_read_and_says_that_it_was_by_ocr(read: Read) -> None:
    found = read(saved(picture_of(RENT, "The deposit is 1,800 euros."), "PNG"))

    assert found.blocks[0].text == f"{RENT}\nThe deposit is 1,800 euros."
    assert (found.media_type, found.pages, found.report.ocr) == ("image/png", 1, (1,))
    assert found.warnings == (
        "The text was read by text recognition (OCR). Compare names and figures with the original.",
    )


def test_pages_of_a_tiff_are_pages(read: Read, shown: list[Any]) -> None:
    told: list[tuple[int, int]] = []
    pages = [half_red(), Image.new("RGB", (1200, 1000), "white"), half_red()]
    content = saved(pages[0], "TIFF", save_all=True, append_images=pages[1:])

    found = read(content, lambda done, total: told.append((done, total)))

    assert [(block.page, block.text) for block in found.blocks] == [(1, "picture 1"), (3, "picture 2")]
    assert (found.media_type, found.pages, found.report.ocr) == ("image/tiff", 3, (1, 3))
    assert told == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(("orientation", "quarters"), [(1, 0), (3, 2), (6, 1), (8, 3)])
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "TIFF"])
def test_a_photograph_is_shown_the_way_the_camera_was_held(
    read: Read, shown: list[Any], kind: str, orientation: int, quarters: int
) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation

    read(saved(half_red().rotate(90 * quarters, expand=True), kind, exif=exif))

    assert shown[0].shape == (1000, 1200, 3)
    assert shown[0][250, 600, 2] > 250  # red, the last of blue, green, red
    assert shown[0][250, 600, 1] < 5
    assert shown[0][750, 600].min() > 250


def transparent() -> Image.Image:
    seen = Image.new("RGBA", (1200, 1000), (0, 0, 0, 0))
    seen.paste((255, 0, 0, 255), (0, 0, 1200, 500))
    return seen


@pytest.mark.parametrize(
    ("content", "upper"),
    [
        (saved(transparent(), "PNG"), (0, 0, 255)),
        (saved(half_red().convert("P"), "PNG"), (0, 0, 255)),
        (saved(half_red().convert("CMYK"), "TIFF"), (0, 0, 255)),
        (saved(half_red().convert("1", dither=Image.Dither.NONE), "TIFF", compression="group4"), (0, 0, 0)),
        (saved(Image.fromarray(np.asarray(half_red().convert("L")).astype(np.uint16) * 257), "PNG"), (76, 76, 76)),
    ],
    ids=["transparent", "palette", "for print", "fax", "16 bits"],
)
def test_pictures_are_shown_in_their_colours_on_white(
    read: Read, shown: list[Any], content: bytes, upper: tuple[int, int, int]
) -> None:
    read(content)

    assert np.abs(shown[0][250, 600].astype(int) - upper).max() <= 5
    assert shown[0][750, 600].min() >= 250


@pytest.mark.parametrize(
    ("size", "seen"),
    [((500, 400), (800, 1000)), ((1000, 800), (800, 1000)), ((3400, 100), (100, 3400)), ((8000, 4000), (1700, 3400))],
    ids=["small", "large enough", "largest", "too large"],
)
def test_small_pictures_are_enlarged_and_large_ones_reduced(
    read: Read, shown: list[Any], size: tuple[int, int], seen: tuple[int, int]
) -> None:
    page = Image.new("L", size, "white")
    page.paste(0, (0, 0, size[0] // 2, size[1]))

    read(saved(page, "PNG"))

    assert shown[0].shape[:2] == seen


def test_a_picture_with_too_many_pixels_is_not_opened(read: Read) -> None:
    with pytest.raises(ExtractionError, match=r"more than 100 million pixels; it was not opened"):
        read(saved(Image.new("1", (12_000, 12_000)), "PNG"))


@pytest.mark.parametrize(("width", "opened"), [(1000, True), (1001, False)])
def test_the_most_pixels_may_be_reached(
    read: Read, shown: list[Any], monkeypatch: pytest.MonkeyPatch, width: int, opened: bool
) -> None:
    monkeypatch.setattr(picture, "MOST_PIXELS", 1_000_000)
    page = Image.new("1", (width, 1000))
    page.paste(1, (0, 0, 10, 10))

    if opened:
        assert read(saved(page, "PNG")).blocks[0].text == "picture 1"
    else:
        with pytest.raises(ExtractionError, match="million pixels"):
            read(saved(page, "PNG"))


SOUND_PNG = saved(picture_of(RENT), "PNG")


@pytest.mark.parametrize(
    "content",
    [
        SOUND_PNG[: len(SOUND_PNG) // 2],
        saved(half_red(), "JPEG")[:2000],
        b"\x89PNG\r\n\x1a\n" + bytes(range(200)),
        b"II*\x00" + b"\xff" * 200,
        saved(half_red(), "TIFF")[:200],
    ],
    ids=["half a PNG", "half a JPEG", "no PNG", "no TIFF", "half a TIFF"],
)
def test_a_damaged_picture_says_so(read: Read, shown: list[Any], content: bytes) -> None:
    with pytest.raises(ExtractionError, match="The picture is damaged or incomplete"):
        read(content)


def test_a_damaged_page_of_a_tiff_costs_no_other(read: Read, shown: list[Any]) -> None:
    content = saved(half_red(), "TIFF", save_all=True, append_images=[half_red()], compression="tiff_lzw")
    second = _place_of_strip(content, frame=1)

    found = read(content[:second] + b"\xff" * 40 + content[second + 40 :])

    assert found.report.unreadable == (2,)
    assert found.warnings[1] == "Not read, since damaged: page 2."


def test_a_tiff_is_read_up_to_where_its_pages_get_lost(read: Read, shown: list[Any]) -> None:
    content = saved(half_red(), "TIFF", save_all=True, append_images=[half_red(), half_red()])
    (first,) = struct.unpack_from("<I", content, 4)
    (entries,) = struct.unpack_from("<H", content, first)
    (second,) = struct.unpack_from("<I", content, first + 2 + 12 * entries)

    found = read(content[: second + 2] + b"\xff" * 24 + content[second + 26 :])  # its width and height

    assert found.report.ocr == (1,)
    assert found.report.unreadable == (2,)


def test_a_tiff_with_a_bomb_for_a_second_page_is_not_opened(read: Read, shown: list[Any]) -> None:
    pages = [Image.new("1", (1200, 1000), 1), Image.new("1", (20_000, 20_000))]

    with pytest.raises(ExtractionError, match="million pixels"):
        read(saved(pages[0], "TIFF", save_all=True, append_images=pages[1:], compression="group4"))


@pytest.mark.parametrize("colour", ["white", "black"])
def test_a_picture_without_text_fails_and_says_so(read: Read, colour: str) -> None:
    with pytest.raises(ExtractionError, match="No text was found in this picture"):
        read(saved(Image.new("RGB", (300, 200), colour), "PNG"))


def _place_of_strip(content: bytes, frame: int) -> int:
    """Return where the pixels of a frame of a TIFF begin."""
    with Image.open(io.BytesIO(content)) as tiff:
        tiff.seek(frame)
        offsets = tiff.tag_v2[273]  # type: ignore[attr-defined]
    return int(offsets[0])
