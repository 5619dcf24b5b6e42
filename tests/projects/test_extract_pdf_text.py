"""The text layer of PDFs: columns, turned pages, sizes of type, odd characters."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from projects.intake.extract.base import Extraction
from tests.pdfs import LEASE, Leaf, pdf_of, read_pdf, text_of, written

Read = Callable[..., Extraction]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    return partial(read_pdf, tmp_path)


RIGHT = (
    "The landlord keeps the roof, the cellar",
    "and the outer walls in good repair, and",
    "mends what is broken in the kitchen and",
    "in the bathroom within two weeks after",
    "the tenant has told him about it.",
)


def drawn(text: str, left: float, top: float, turned: int = 0) -> str:
    """Return the drawing of a text at a place of the page as it is seen, however that is turned."""
    matrix = {
        0: f"1 0 0 1 {left} {792 - top}",
        90: f"0 1 -1 0 {top} {left}",
        180: f"-1 0 0 -1 {612 - left} {top}",
        270: f"0 -1 1 0 {612 - top} {792 - left}",
    }
    return f"BT /F1 11 Tf {matrix[turned]} Tm ({text}) Tj ET"


@pytest.mark.parametrize("turned", [0, 90, 180, 270])
def test_columns_drawn_line_by_line_are_read_one_after_the_other(read: Read, turned: int) -> None:
    lines = [
        drawn(text, left, 100 + 14 * number, turned)
        for number, texts in enumerate(zip(LEASE, RIGHT, strict=True))
        for left, text in zip((50, 320), texts, strict=True)
    ]

    found = read(pdf_of(Leaf(drawing="\n".join(lines), turned=turned)))

    assert text_of(found).split("\n") == [" ".join(LEASE), " ".join(RIGHT)]


def test_a_word_parted_at_the_end_of_a_column_is_joined_within_it(read: Read) -> None:
    left = (*LEASE[:1], "nine hundred euros on the first work-", "ing day of every month to the account", *LEASE[3:])
    lines = [
        drawn(text, place, 100 + 14 * number)
        for number, texts in enumerate(zip(left, RIGHT, strict=True))
        for place, text in zip((50, 320), texts, strict=True)
    ]

    assert "on the first working day of every month" in text_of(read(pdf_of(Leaf(drawing="\n".join(lines)))))


def test_labels_stay_with_their_values(read: Read) -> None:
    cells = [
        ("Invoice number:", "2023-0815"),
        ("Date:", "15 March 2023"),
        ("Amount due:", "1,800.00"),
        ("Account:", "40 17"),
    ]
    lines = [
        drawn(text, left, 100 + 14 * number)
        for number, (label, value) in enumerate(cells)
        for left, text in ((50, label), (180, value), (320, f"Second {label}"), (450, value))
    ]

    assert text_of(read(pdf_of(Leaf(drawing="\n".join(lines))))).split("\n") == [
        f"{label} {value} Second {label} {value}" for label, value in cells
    ]


def test_type_that_is_scaled_counts_by_its_true_size(read: Read) -> None:
    title = "BT /F1 1 Tf 20 0 0 20 50 700 Tm (Lease) Tj ET"
    text = "BT /F1 1 Tf 11 0 0 11 50 660 Tm (The rent is 900 euros.) Tj ET"

    found = read(pdf_of(Leaf(drawing=f"{title}\n{text}")))

    assert [(block.level, block.text) for block in found.blocks] == [(1, "Lease"), (0, "The rent is 900 euros.")]


def test_characters_that_cannot_be_stored_are_left_out(read: Read) -> None:
    found = read(pdf_of(written("The rent~ is 900 euros."), shown_as={"~": "\0"}))

    assert text_of(found) == "The rent is 900 euros."


def test_characters_beyond_the_first_plane_are_read(read: Read) -> None:
    found = read(pdf_of(written("Rent ~ is paid", "On the first"), shown_as={"~": "😀"}))

    assert text_of(found) == "Rent 😀 is paid\nOn the first"
