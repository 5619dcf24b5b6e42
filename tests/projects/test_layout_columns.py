"""Columns that were drawn line by line: running text is read one column after the other, anything else as it stands."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract.layout import Line
from projects.intake.extract.layout_columns import Piece, Row, in_reading_order

LEFT = (
    "The tenant shall pay the monthly rent of",
    "nine hundred euros on the first working",
    "day of every month to the account that",
    "the landlord has named in writing, and",
    "informs the landlord of any delay.",
)
RIGHT = (
    "The landlord keeps the roof, the cellar",
    "and the outer walls in good repair, and",
    "mends what is broken in the kitchen and",
    "in the bathroom within two weeks after",
    "the tenant has told him about it.",
)
THIRD = (
    "Either of the two may end the contract",
    "in writing three months in advance, to",
    "the end of a month, and owes the other",
    "an answer to all questions that remain",
    "within a week of asking.",
)
WIDTH, HEIGHT = 5.0, 12.0
"""Of a letter, and of a line, in points."""


def piece(text: str, left: float, top: float) -> Piece:
    return Piece(text, left, top, left + WIDTH * len(text), top + HEIGHT)


def row(top: float, *cells: tuple[float, str]) -> Row:
    return Row(Line(" ".join(text for _, text in cells), 11), tuple(piece(text, left, top) for left, text in cells))


def side_by_side(*columns: Sequence[str], top: float = 100, lefts: Sequence[float] = (50, 300, 550)) -> list[Row]:
    """Return columns drawn line by line from edge to edge."""
    return [
        row(top + 14 * number, *zip(lefts, texts, strict=False))
        for number, texts in enumerate(zip(*columns, strict=True))
    ]


def texts(rows: Sequence[Row]) -> list[str]:
    return [line.text for line in in_reading_order(rows)]


def test_interleaved_columns_are_read_one_after_the_other() -> None:
    assert texts(side_by_side(LEFT, RIGHT)) == [*LEFT, *RIGHT]


def test_three_columns_are_read_one_after_the_other() -> None:
    assert texts(side_by_side(LEFT, RIGHT, THIRD)) == [*LEFT, *RIGHT, *THIRD]


def test_what_spans_the_columns_stays_before_and_after_them() -> None:
    title = row(60, (50, "Lease of the flat in Lindenstrasse 4, made between the parties named below"))
    footer = row(500, (50, "Page 3"))

    assert texts([title, *side_by_side(LEFT, RIGHT), footer]) == [title.line.text, *LEFT, *RIGHT, "Page 3"]


def test_columns_above_and_below_a_heading_are_read_apart() -> None:
    above, below = side_by_side(LEFT, RIGHT), side_by_side(THIRD, RIGHT, top=250)
    heading = row(210, (50, "What applies to both of them, from the first day of the contract to its last"))

    assert texts([*above, heading, *below]) == [*LEFT, *RIGHT, heading.line.text, *THIRD, *RIGHT]


def test_lines_of_columns_that_are_not_level_are_read_one_column_after_the_other() -> None:
    rows = []
    for number, (left, right) in enumerate(zip(LEFT, RIGHT, strict=True)):
        rows += [row(100 + 14 * number, (50, left)), row(107 + 14 * number, (300, right))]

    assert texts(rows) == [*LEFT, *RIGHT]


def test_lines_that_fill_their_column_go_on_below() -> None:
    lines = in_reading_order(side_by_side(LEFT, RIGHT))

    assert [line.wraps for line in lines] == [True] * 4 + [False] + [True] * 4 + [False]


def test_a_word_parted_at_the_end_of_a_column_s_line_is_one() -> None:
    parted = (*LEFT[:1], "nine hundred euros on the first work-", "ing day of every month to the account", *LEFT[3:])

    lines = in_reading_order(side_by_side(parted, RIGHT))

    assert lines[1].text == "nine hundred euros on the first work\u00ad"


def test_columns_of_a_script_from_right_to_left_begin_on_the_right() -> None:
    hebrew = tuple("השוכר ישלם את דמי השכירות החודשיים לחשבון של המשכיר" for _ in range(5))
    arabic = tuple("يدفع المستأجر الإيجار الشهري في أول يوم عمل من كل شهر" for _ in range(5))

    assert texts(side_by_side(hebrew, arabic, lefts=(50, 400))) == [*arabic, *hebrew]


PAIRS = [
    ("Invoice number:", "2023-0815"),
    ("Date of the invoice:", "15 March 2023"),
    ("Customer number:", "40-17"),
    ("Amount due in euros:", "1,800.00"),
    ("To be paid until:", "29 March 2023"),
    ("Account:", "DE89 3704 0044 0532 0130 00"),
]
PROSE_TABLE = [
    ("Heating and hot water are paid for by", "The landlord reads the meters once a year"),
    ("Rubbish is put into the yard by the one", "The town collects it on every second Monday"),
    ("Snow is swept by those who live on the", "The landlord gives them salt and a broom for"),
    ("Bicycles may be kept in the cellar, and", "The landlord is not liable for any of them"),
]


@pytest.mark.parametrize(
    "rows",
    [
        [row(100 + 14 * number, (50, label), (250, value)) for number, (label, value) in enumerate(PAIRS)],
        [
            row(100 + 14 * number, (50, label), (180, value), (320, label), (450, value))
            for number, (label, value) in enumerate(PAIRS)
        ],
        [row(100 + 14 * number, (50, f"{number}.10.2023"), (150, "1,500.00"), (250, "17.5")) for number in range(12)],
        [row(100 + 14 * number, (50, text), (300, "see page 4")) for number, text in enumerate(LEFT)],
        side_by_side(LEFT[:3], RIGHT[:3]),
        [row(100 + 14 * number, (50, text)) for number, text in enumerate((*LEFT, *RIGHT))],
        # As programs draw tables: a cell with all its lines, then the next cell.
        [
            row(100 + 50 * number + 14 * line, (left, f"{text} {line}"))
            for number, cells in enumerate(PROSE_TABLE)
            for left, text in zip((50, 300), cells, strict=True)
            for line in range(3)
        ],
        [Row(Line("a line somewhere")) for _ in range(12)],
    ],
    ids=["pairs", "two pairs a row", "figures", "contents", "too few lines", "one column", "cells", "no places"],
)
def test_tables_forms_and_plain_pages_stay_as_they_are(rows: list[Row]) -> None:
    assert in_reading_order(rows) == [row.line for row in rows]


def test_columns_drawn_one_after_the_other_stay_as_they_are() -> None:
    rows = [row(100 + 14 * number, (50, text)) for number, text in enumerate(LEFT)]
    rows += [row(100 + 14 * number, (300, text)) for number, text in enumerate(RIGHT)]

    assert in_reading_order(rows) == [row.line for row in rows]


words = st.text(alphabet="abcdefg .:-1", min_size=1, max_size=45).filter(str.strip)
cells = st.lists(st.tuples(st.sampled_from([50.0, 55.0, 180.0, 300.0, 306.0]), words), max_size=3)


@given(st.lists(st.tuples(st.integers(0, 700), cells), max_size=30))
def test_nothing_is_lost_or_doubled_wherever_it_stands(drawn: list[tuple[int, list[tuple[float, str]]]]) -> None:
    rows = [row(top, *cells) for top, cells in drawn]

    read = " ".join(texts(rows)).replace("\u00ad", "-")

    assert Counter(read.split()) == Counter(" ".join(row.line.text for row in rows).split())


@given(st.lists(words, max_size=8))
def test_columns_are_found_whatever_else_is_on_the_page(others: list[str]) -> None:
    rest = [row(400 + 14 * number, (50, text)) for number, text in enumerate(others)]

    read = texts([*side_by_side(LEFT, RIGHT), *rest])

    assert read[:10] == [*LEFT, *RIGHT]
