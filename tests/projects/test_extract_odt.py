"""OpenDocument texts: every text once and in reading order, tables row by row."""

from __future__ import annotations

from pathlib import Path

import pytest

from projects.intake.extract import ExtractionError
from projects.intake.extract.odt import extract
from tests.office import edited, opendocument, read, texts

SPANS = 'table:number-rows-spanned="2"'


def cell(inner: str, attributes: str = "") -> str:
    return f"<table:table-cell {attributes}>{inner}</table:table-cell>"


def test_headings_paragraphs_lists_and_sections_come_in_order(tmp_path: Path) -> None:
    body = (
        '<text:h text:outline-level="2">Miete</text:h>'
        '<text:section><text:p>Die <text:span>Größe</text:span><text:s text:c="2"/>ist 80<text:tab/>m².</text:p>'
        "</text:section>"
        "<text:list><text:list-item><text:p>first</text:p></text:list-item>"
        "<text:list-item><text:p>second<text:line-break/>line</text:p></text:list-item></text:list>"
        "<text:p>عقد 😀 Mu\u0308ller</text:p>"
    )

    found = read(extract, opendocument("text", body), tmp_path)

    assert [(block.level, block.text) for block in found.blocks] == [
        (2, "Miete"),
        (0, "Die Größe  ist 80\tm²."),
        (0, "first"),
        (0, "second\nline"),
        (0, "عقد 😀 Müller"),
    ]


def test_list_items_and_headings_have_their_printed_numbers(tmp_path: Path) -> None:
    def level(number: int, attributes: str, kind: str = "list-level-style-number") -> str:
        return f'<text:{kind} text:level="{number}" {attributes}/>'

    def item(text: str, more: str = "", attributes: str = "") -> str:
        return f"<text:list-item {attributes}><text:p>{text}</text:p>{more}</text:list-item>"

    styles = (
        '<text:list-style style:name="L1">'
        + level(1, 'style:num-format="1" style:num-prefix="§ "')
        + level(2, 'style:num-format="a" style:num-suffix=")"')
        + level(3, 'style:num-format="1" text:display-levels="3"')
        + '</text:list-style><text:list-style style:name="L2">'
        + level(1, 'text:bullet-char="•"', "list-level-style-bullet")
        + '</text:list-style><text:outline-style style:name="Outline">'
        + level(1, 'style:num-format="I" style:num-suffix="."', "outline-level-style")
        + "</text:outline-style>"
        + '<style:style style:name="P1" style:family="paragraph" style:parent-style-name="Title"/>'
    )
    later = item("later", "", 'text:start-value="7"')
    deepest = f"<text:list>{item('gas')}</text:list>"
    nested = f"<text:list>{item('cold', deepest)}{item('warm', '<text:p>more of it</text:p>')}</text:list>"
    body = (
        '<text:p text:style-name="P1">Lease</text:p><text:h text:outline-level="1">Rules</text:h>'
        f'<text:list text:style-name="L1">{item("Rent", nested)}</text:list><text:p>between</text:p>'
        f'<text:list text:style-name="L1" text:continue-numbering="true">{item("Term")}</text:list>'
        f'<text:list text:style-name="L1">{item("anew")}{later}</text:list>'
        f'<text:list text:style-name="L2">{item("point")}</text:list>'
        '<text:h text:outline-level="1">More</text:h>'
        '<text:h text:outline-level="1" text:is-list-header="true">Plain</text:h>'
    )

    found = read(extract, opendocument("text", body, styles), tmp_path)

    assert [(block.level, block.text) for block in found.blocks] == [
        (1, "Lease"),
        (1, "I. Rules"),
        (0, "§ 1 Rent"),
        (0, "a) cold"),
        (0, "1.a.1 gas"),
        (0, "b) warm"),
        (0, "more of it"),
        (0, "between"),
        (0, "§ 2 Term"),
        (0, "§ 1 anew"),
        (0, "§ 7 later"),
        (0, "- point"),
        (1, "II. More"),
        (1, "Plain"),
    ]


def test_tables_keep_rows_and_columns_with_nested_tables_in_their_cells(tmp_path: Path) -> None:
    inner = f"<table:table><table:table-row>{cell('<text:p>in</text:p>')}</table:table-row></table:table>"
    body = (
        "<table:table><table:table-header-rows><table:table-row>"
        f"{cell('<text:p>Item</text:p>')}{cell('<text:p>Price</text:p>')}</table:table-row></table:table-header-rows>"
        f"<table:table-row>{cell('<text:p>Lamp</text:p>' + inner, SPANS)}"
        f"{cell('<text:p>12.50</text:p>')}</table:table-row>"
        f"<table:table-row><table:covered-table-cell/>{cell('<text:p>13.50</text:p>')}</table:table-row></table:table>"
    )

    found = read(extract, opendocument("text", body), tmp_path)

    assert texts(found) == ["Item | Price\nLamp in | 12.50\nLamp in | 13.50"]
    assert found.report.tables == 2


def test_boxes_come_after_their_paragraph_and_notes_after_the_text(tmp_path: Path) -> None:
    body = (
        "<text:p>before<draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box><svg:desc>a frame</svg:desc>"
        "</draw:frame> after<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>Cold rent."
        "</text:p></text:note-body></text:note>.</text:p><text:p>end</text:p>"
    )

    assert texts(read(extract, opendocument("text", body), tmp_path)) == ["before after.", "boxed", "end", "Cold rent."]


def test_headers_and_footers_come_once_and_deletions_and_comments_are_named(tmp_path: Path) -> None:
    page = (
        '<style:master-page style:name="{}"><style:header><text:p>Confidential</text:p></style:header>'
        "<style:footer><text:p>Lease</text:p></style:footer></style:master-page>"
    )
    body = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>thrown away</text:p></text:deletion>"
        "</text:changed-region></text:tracked-changes>"
        "<text:p>kept<office:annotation><text:p>a remark</text:p></office:annotation></text:p>"
    )
    content = opendocument("text", body, master=page.format("a") + page.format("b"))

    found = read(extract, edited(content, {"Pictures/1.png": lambda _: b"x"}), tmp_path)

    assert texts(found) == ["Confidential", "kept", "Lease"]
    assert found.report.left_out == (
        "1 picture was left out.",
        "Comments were left out.",
        "Text that was deleted with tracking of changes was left out.",
    )


@pytest.mark.parametrize("body", ["<text:p>", "</office:text>"], ids=["open", "closed"])
def test_a_damaged_file_says_so(tmp_path: Path, body: str) -> None:
    with pytest.raises(ExtractionError, match="The OpenDocument file is damaged"):
        read(extract, opendocument("text", body), tmp_path)


def test_a_text_that_declares_entities_is_not_opened(tmp_path: Path) -> None:
    declared = b'<!DOCTYPE x [<!ENTITY e "ha">]>'

    with pytest.raises(ExtractionError, match="declares XML entities"):
        read(extract, edited(opendocument("text", ""), {"content.xml": lambda xml: declared + xml}), tmp_path)
