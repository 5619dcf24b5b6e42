"""The numbers of clauses and list items, which Word computes, as they are printed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from projects.intake.extract.docx import extract
from tests.builders import docx
from tests.office import edited, read

_NAMES = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'


def level(number: int, text: str, form: str = "decimal", more: str = "", start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{number}"><w:start w:val="{start}"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def kind(identity: int, *levels: str) -> str:
    return f'<w:abstractNum w:abstractNumId="{identity}">{"".join(levels)}</w:abstractNum>'


def number(identity: int, of: int, restart: str = "") -> str:
    return f'<w:num w:numId="{identity}"><w:abstractNumId w:val="{of}"/>{restart}</w:num>'


def item(text: str, identity: int, at: int = 0) -> str:
    numbered = f'<w:numPr><w:ilvl w:val="{at}"/><w:numId w:val="{identity}"/></w:numPr>'
    return f"<w:p {_NAMES}><w:pPr>{numbered}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


@pytest.fixture
def numbered(tmp_path: Path) -> Any:
    """Return a function that reads paragraphs of a document with these lists; it returns their texts."""

    def read_with(numbering: list[str], paragraphs: list[str], styles: str = "") -> list[str]:
        def build(document: Any) -> None:
            from docx.oxml import parse_xml

            for place, paragraph in enumerate(paragraphs):
                document.element.body.insert(place, parse_xml(paragraph))

        lists = f"<w:numbering {_NAMES}>{''.join(numbering)}</w:numbering>".encode()
        content = edited(
            docx(build),
            {
                "word/numbering.xml": lambda _: lists,
                "word/styles.xml": lambda xml: xml.replace(b"</w:styles>", f"{styles}</w:styles>".encode()),
            },
        )
        return [block.text for block in read(extract, content, tmp_path).blocks]

    return read_with


def test_clauses_are_counted_over_their_levels(numbered: Any) -> None:
    lists = [kind(1, level(0, "§ %1"), level(1, "%1.%2"), level(2, "%3)", "lowerLetter")), number(1, 1)]
    clauses = [
        ("Rent", 0),
        ("Cold", 1),
        ("Warm", 1),
        ("gas", 2),
        ("water", 2),
        ("Term", 0),
        ("Notice", 1),
        ("in writing", 2),
    ]

    assert numbered(lists, [item(text, 1, at) for text, at in clauses]) == [
        "§ 1 Rent",
        "1.1 Cold",
        "1.2 Warm",
        "a) gas",
        "b) water",
        "§ 2 Term",
        "2.1 Notice",
        "a) in writing",
    ]


def test_bullets_are_dashes_and_words_stay_words(numbered: Any) -> None:
    lists = [kind(1, level(0, "\uf0b7", "bullet")), kind(2, level(0, "Note:", "none")), number(1, 1), number(2, 2)]

    assert numbered(lists, [item("first", 1), item("second", 1), item("third", 2)]) == [
        "- first",
        "- second",
        "Note: third",
    ]


def test_a_list_that_starts_anew_counts_anew_and_another_of_its_kind_goes_on(numbered: Any) -> None:
    restart = '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride>'
    lists = [kind(1, level(0, "%1.")), number(1, 1), number(2, 1), number(3, 1, restart)]
    items = [item("a", 1), item("b", 1), item("c", 2), item("d", 3), item("e", 3)]

    assert numbered(lists, items) == ["1. a", "2. b", "3. c", "7. d", "8. e"]


def test_headings_are_numbered_by_their_styles(numbered: Any) -> None:
    lists = [
        kind(1, level(0, "%1", more='<w:pStyle w:val="Clause"/>'), level(1, "%1.%2", more='<w:pStyle w:val="Sub"/>')),
        number(1, 1),
    ]
    styles = (
        '<w:style w:type="paragraph" w:styleId="Clause"><w:name w:val="Clause"/><w:pPr><w:numPr><w:numId w:val="1"/>'
        '</w:numPr></w:pPr></w:style><w:style w:type="paragraph" w:styleId="Sub"><w:name w:val="Sub"/>'
        '<w:basedOn w:val="Clause"/></w:style>'
    )

    def paragraph(text: str, style: str, more: str = "") -> str:
        return f'<w:p {_NAMES}><w:pPr><w:pStyle w:val="{style}"/>{more}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'

    off = '<w:numPr><w:numId w:val="0"/></w:numPr>'
    paragraphs = [
        paragraph("Rent", "Clause"),
        paragraph("Cold", "Sub"),
        paragraph("plain", "Sub", off),
        paragraph("Term", "Clause"),
    ]

    assert numbered(lists, paragraphs, styles) == ["1 Rent", "1.1 Cold", "plain", "2 Term"]


@pytest.mark.parametrize(
    ("form", "start", "shown"),
    [
        ("upperRoman", 4, "IV"),
        ("lowerRoman", 1999, "mcmxcix"),
        ("upperLetter", 28, "BB"),
        ("decimalZero", 3, "03"),
        ("chineseCounting", 3, "3"),
        ("lowerLetter", 0, "0"),
    ],
)
def test_numbers_are_formed_as_word_does(numbered: Any, form: str, start: int, shown: str) -> None:
    lists = [kind(1, level(0, "%1.", form, start=start)), number(1, 1)]

    assert numbered(lists, [item("x", 1)]) == [f"{shown}. x"]


def test_legal_numbers_are_decimal_throughout(numbered: Any) -> None:
    lists = [kind(1, level(0, "%1", "upperRoman"), level(1, "%1.%2", more="<w:isLgl/>")), number(1, 1)]

    assert numbered(lists, [item("a", 1), item("b", 1, 1)]) == ["I a", "1.1 b"]
