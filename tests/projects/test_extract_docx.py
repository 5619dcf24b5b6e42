"""Word documents: every text once and in reading order, tables row by row, what is left out named."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects.intake.extract import ExtractionError
from projects.intake.extract.docx import extract
from projects.intake.extract.rows import CELL_GAP
from tests.builders import docx
from tests.office import edited, read, texts

_NAMES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
)
BODY = "word/document.xml"


def run(text: str) -> str:
    return f"<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>"


def paragraph(inner: str, properties: str = "") -> str:
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def cell(inner: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr>{inner}</w:tc>"


def body(*elements: str) -> bytes:
    """Return a document whose body has these elements."""

    def build(document: Any) -> None:
        from docx.oxml import parse_xml

        wrapped = parse_xml(f"<w:body {_NAMES}>{''.join(elements)}</w:body>")
        for place, element in enumerate(list(wrapped)):
            document.element.body.insert(place, element)

    return docx(build)


def test_a_table_of_two_rows_has_two_lines_and_its_cells_apart(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        table = document.add_table(rows=2, cols=2)
        for row, cells in zip(table.rows, [("Item", "Price"), ("Lamp", "12.50")], strict=True):
            for place, text in zip(row.cells, cells, strict=True):
                place.text = text

    found = read(extract, docx(build), tmp_path)

    assert texts(found) == ["Item | Price\nLamp | 12.50"]
    assert found.report.tables == 1


def test_boxes_nested_tables_and_content_controls_come_once_and_in_their_places(tmp_path: Path) -> None:
    box = f"<w:txbxContent>{paragraph(run('boxed'))}</w:txbxContent>"
    twice = (
        f"<mc:AlternateContent><mc:Choice Requires='wps'>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
        "</mc:AlternateContent>"
    )
    inner = f"<w:tbl><w:tr>{cell(paragraph(run('in1')))}{cell(paragraph(run('in2')))}</w:tr></w:tbl>"
    row = (
        f"<w:tr>{cell(paragraph(run('before')) + inner + paragraph(run('after')))}{cell(paragraph(run('side')))}</w:tr>"
    )
    content = body(
        f"<w:sdt><w:sdtContent>{paragraph(run('controlled'))}</w:sdtContent></w:sdt>",
        paragraph(run("anchor") + f"<w:r>{twice}</w:r>"),
        f"<w:tbl><w:sdt><w:sdtContent>{row}</w:sdtContent></w:sdt></w:tbl>",
        paragraph(f"<w:sdt><w:sdtContent>{run('inline')}</w:sdtContent></w:sdt>" + run(" end")),
    )

    found = read(extract, content, tmp_path)

    assert texts(found) == ["controlled", "anchor", "boxed", "before in1 | in2 after | side", "inline end"]
    assert found.report.tables == 2


def test_cells_that_cover_rows_are_in_each_and_those_that_cover_columns_in_the_first(tmp_path: Path) -> None:
    def row(*cells: tuple[str, str]) -> str:
        return "<w:tr>" + "".join(cell(paragraph(run(text) if text else ""), how) for text, how in cells) + "</w:tr>"

    content = body(
        "<w:tbl>"
        + row(("Year", '<w:gridSpan w:val="2"/>'), ("Note", ""))
        + row(("North", '<w:vMerge w:val="restart"/>'), ("1", ""), ("a", ""))
        + row(("", "<w:vMerge/>"), ("2", ""), ("", ""))
        + "</w:tbl>"
    )

    assert texts(read(extract, content, tmp_path)) == ["Year |  | Note\nNorth | 1 | a\nNorth | 2"]


def test_the_marked_header_of_a_long_table_heads_each_of_its_blocks(tmp_path: Path) -> None:
    def row(first: str, second: str, mark: str = "") -> str:
        return f"<w:tr><w:trPr>{mark}</w:trPr>{cell(paragraph(run(first)))}{cell(paragraph(run(second)))}</w:tr>"

    rows = "".join(row(f"clause {number}", "wording of it") for number in range(80))
    content = body(f"<w:tbl>{row('Clause', 'Text', '<w:tblHeader/>')}{rows}</w:tbl>")

    blocks = texts(read(extract, content, tmp_path))

    assert len(blocks) > 1
    assert {text.split("\n")[0] for text in blocks} == {"Clause | Text"}


def test_long_words_in_a_table_without_a_header_come_once(tmp_path: Path) -> None:
    rows = "".join(
        f"<w:tr>{cell(paragraph(run(f'party {number}')))}{cell(paragraph(run('words ' * 40)))}</w:tr>"
        for number in "abcdefgh"
    )

    assert "\n".join(texts(read(extract, body(f"<w:tbl>{rows}</w:tbl>"), tmp_path))).count("party a") == 1


def test_tracked_deletions_and_comments_are_left_out_and_named(tmp_path: Path) -> None:
    gone = "<w:del><w:r><w:delText>thrown away</w:delText></w:r></w:del>"
    moved = f"<w:moveFrom>{run('moved')}</w:moveFrom>"
    content = edited(
        body(paragraph(run("kept ") + gone + f"<w:ins>{run('added')}</w:ins>"), paragraph(moved)),
        {"word/comments.xml": lambda _: b"<w:comments/>", "word/media/image1.png": lambda _: b"x"},
    )

    found = read(extract, content, tmp_path)

    assert texts(found) == ["kept added"]
    assert found.report.left_out == (
        "1 picture was left out.",
        "Comments were left out.",
        "Text that was deleted with tracking of changes was left out.",
    )


def test_headers_and_footers_come_once_and_notes_after_the_text(tmp_path: Path) -> None:
    def build(document: Any) -> None:
        document.add_heading("Lease", level=1)
        document.add_paragraph("The rent is 900 euros.")
        for _ in range(3):
            section = document.add_section()
            section.header.is_linked_to_previous = section.footer.is_linked_to_previous = False
            section.header.paragraphs[0].text = "Confidential"
            section.footer.paragraphs[0].text = "Page of a lease"

    notes = f"<w:footnotes {_NAMES}><w:footnote w:id='1'>{paragraph(run('Cold rent.'))}</w:footnote></w:footnotes>"
    relation = (
        b'<Relationship Id="rNotes" Target="footnotes.xml" '
        b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"/></Relationships>'
    )
    content = edited(
        docx(build),
        {
            "word/footnotes.xml": lambda _: notes.encode(),
            "word/_rels/document.xml.rels": lambda xml: xml.replace(b"</Relationships>", relation),
        },
    )

    found = read(extract, content, tmp_path)

    assert [(block.level, block.text) for block in found.blocks] == [
        (0, "Confidential"),
        (1, "Lease"),
        (0, "The rent is 900 euros."),
        (0, "Cold rent."),
        (0, "Page of a lease"),
    ]


def test_formulas_are_read_and_field_codes_and_ruby_are_not(tmp_path: Path) -> None:
    field = "<w:r><w:instrText>PAGEREF x \\h</w:instrText></w:r>" + run("12")
    ruby = f"<w:r><w:ruby><w:rt>{run('とうきょう')}</w:rt><w:rubyBase>{run('東京')}</w:rubyBase></w:ruby></w:r>"
    formula = "<m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath>"

    assert texts(read(extract, body(paragraph(field), paragraph(ruby), paragraph(formula)), tmp_path)) == [
        "12",
        "東京",
        "E=mc",
    ]


def test_a_chart_gives_its_title_and_figures_once(tmp_path: Path) -> None:
    names = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
    chart = (
        f'<c:chartSpace {names} xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:chart><c:title><c:tx>'
        "<c:rich><a:p><a:r><a:t>Rents</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser>"
        "<c:tx><c:strRef><c:strCache><c:pt idx='0'><c:v>euros</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        "<c:cat><c:strRef><c:strCache><c:pt idx='0'><c:v>May</c:v></c:pt></c:strCache></c:strRef></c:cat>"
        "<c:val><c:numRef><c:numCache><c:pt idx='0'><c:v>900</c:v></c:pt></c:numCache></c:numRef></c:val>"
        "</c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    drawn = (
        f'<w:r><w:drawing><c:chart {names} r:id="rChart" '
        'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"/></w:drawing></w:r>'
    )
    relation = (
        b'<Relationship Id="rChart" Target="charts/chart1.xml" '
        b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/chart"/></Relationships>'
    )
    content = edited(
        body(paragraph(run("before") + drawn), paragraph(run("after"))),
        {
            "word/charts/chart1.xml": lambda _: chart.encode(),
            "word/_rels/document.xml.rels": lambda xml: xml.replace(b"</Relationships>", relation),
        },
    )

    assert texts(read(extract, content, tmp_path)) == ["before", "Rents", " | euros\nMay | 900", "after"]


def test_right_to_left_text_emoji_and_accents_come_composed(tmp_path: Path) -> None:
    found = read(extract, body(paragraph(run("عقد الإيجار 😀")), paragraph(run("Mu\u0308ller"))), tmp_path)

    assert texts(found) == ["عقد الإيجار 😀", "Müller"]


@pytest.mark.parametrize("part", [BODY, "word/styles.xml", "[Content_Types].xml"], ids=["body", "styles", "types"])
def test_a_damaged_document_says_so(tmp_path: Path, part: str) -> None:
    broken = edited(body(paragraph(run("text"))), {part: lambda xml: xml[: len(xml) // 2]})

    with pytest.raises(ExtractionError, match="The Word document is damaged"):
        read(extract, broken, tmp_path)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_that_declares_entities_is_not_opened(tmp_path: Path, encoding: str) -> None:
    secret = tmp_path / "secret"
    secret.write_text("the content of another file")
    nested = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    declared = f"<!-- {'x' * 100_000} --><!DOCTYPE x [<!ENTITY other SYSTEM '{secret.as_uri()}'>{nested}]>"

    def infect(xml: bytes) -> bytes:
        text = xml.decode().replace("MARK", "&other;&e11;").partition("?>")[2]
        return (declared + text).encode(encoding)

    with pytest.raises(ExtractionError, match="declares XML entities, as no office program does; it was not opened"):
        read(extract, edited(body(paragraph(run("MARK"))), {BODY: infect}), tmp_path)


words = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=12)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(2, 4).flatmap(lambda width: st.lists(st.lists(words, min_size=width, max_size=width), min_size=1)))
def test_every_cell_of_any_table_is_found_again_in_order(tmp_path: Path, rows: list[list[str]]) -> None:
    def build(document: Any) -> None:
        table = document.add_table(rows=len(rows), cols=len(rows[0]))
        for row, cells in zip(table.rows, rows, strict=True):
            for place, text in zip(row.cells, cells, strict=True):
                place.text = text

    lines = "\n".join(texts(read(extract, docx(build), tmp_path))).split("\n")
    expected = [CELL_GAP.join(normalize("NFC", text) for text in row) for row in rows]

    # A header is said again at the top of each block.
    assert [line for place, line in enumerate(lines) if line != expected[0] or place == 0] == [
        line for place, line in enumerate(expected) if line != expected[0] or place == 0
    ]
