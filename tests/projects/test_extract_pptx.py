"""Presentations: slides in the order in which they are shown, titles as headings, notes with their slides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from projects.intake.extract import ExtractionError
from projects.intake.extract.base import Extraction
from projects.intake.extract.pptx import extract
from tests.office import edited, pptx, read, texts

TITLE_ONLY, TITLE_AND_TEXT, BLANK = 5, 1, 6


def add_slide(presentation: Any, title: str, layout: int = TITLE_ONLY) -> Any:
    slide = presentation.slides.add_slide(presentation.slide_layouts[layout])
    if slide.shapes.title is not None:
        slide.shapes.title.text = title
    return slide


def add_box(shapes: Any, text: str) -> None:
    shapes.add_textbox(0, 0, 9, 9).text_frame.text = text


def titles(found: Extraction) -> list[tuple[int | None, str]]:
    return [(block.page, block.text) for block in found.blocks if block.level == 1]


def test_eleven_slides_come_in_their_order_with_their_notes(tmp_path: Path) -> None:
    def build(presentation: Any) -> None:
        for number in range(1, 12):
            add_slide(presentation, f"Slide {number}").notes_slide.notes_text_frame.text = f"Say {number}"

    found = read(extract, pptx(build), tmp_path)

    assert titles(found) == [(number, f"Slide {number}") for number in range(1, 12)]
    assert [(block.page, block.text) for block in found.blocks if not block.level] == [
        (number, f"Notes: Say {number}") for number in range(1, 12)
    ]
    assert found.pages == 11


def test_slides_that_were_moved_come_where_they_are_shown(tmp_path: Path) -> None:
    def build(presentation: Any) -> None:
        for name in "abc":
            add_slide(presentation, name)
        order = presentation.slides._sldIdLst
        order.insert(0, order[2])

    assert titles(read(extract, pptx(build), tmp_path)) == [(1, "c"), (2, "a"), (3, "b")]


def test_a_title_comes_first_then_the_shapes_and_those_in_groups(tmp_path: Path) -> None:
    def build(presentation: Any) -> None:
        slide = add_slide(presentation, "Costs\vof 2023", TITLE_AND_TEXT)
        slide.placeholders[1].text = "first point\nsecond point"
        group = slide.shapes.add_group_shape()
        add_box(group.shapes, "in a group")
        add_box(group.shapes.add_group_shape().shapes, "in a group of it")

    found = read(extract, pptx(build), tmp_path)

    assert [(block.level, block.text) for block in found.blocks] == [
        (1, "Costs of 2023"),
        (0, "first point\nsecond point"),
        (0, "in a group"),
        (0, "in a group of it"),
    ]


def test_tables_keep_rows_and_columns_and_merged_cells(tmp_path: Path) -> None:
    def build(presentation: Any) -> None:
        table = add_slide(presentation, "Table").shapes.add_table(3, 3, 0, 0, 9, 9).table
        for row, cells in enumerate([("Region", "Month", "Sum"), ("North", "May", "1"), ("", "June", "2")]):
            for column, text in enumerate(cells):
                table.cell(row, column).text = text
        table.cell(1, 0).merge(table.cell(2, 0))

    found = read(extract, pptx(build), tmp_path)

    assert texts(found) == ["Region | Month | Sum\nNorth | May | 1\nNorth | June | 2"]
    assert found.report.tables == 1


def test_hidden_slides_are_read_and_named(tmp_path: Path) -> None:
    def build(presentation: Any) -> None:
        add_slide(presentation, "Reserve")._element.set("show", "0")
        slide = add_slide(presentation, "", BLANK)
        slide._element.set("show", "0")
        add_box(slide.shapes, "no title")

    found = read(extract, pptx(build), tmp_path)

    assert titles(found) == [(1, "Reserve (hidden slide)"), (2, "Slide 2 (hidden slide)")]
    assert texts(found) == ["no title"]


def test_a_footer_comes_once_and_numbers_of_slides_never(tmp_path: Path) -> None:
    from pptx.oxml import parse_xml

    def placeholder(kind: str, text: str) -> Any:
        return parse_xml(
            '<p:sp xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
            'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main">'
            f'<p:nvSpPr><p:cNvPr id="9" name="x"/><p:cNvSpPr/><p:nvPr><p:ph type="{kind}"/></p:nvPr></p:nvSpPr>'
            "<p:spPr/>"
            f"<p:txBody><a:bodyPr/><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>"
        )

    def build(presentation: Any) -> None:
        for number in range(3):
            tree = add_slide(presentation, "", BLANK).shapes._spTree
            tree.append(placeholder("ftr", "Readahead Ltd"))
            tree.append(placeholder("sldNum", str(number)))

    assert texts(read(extract, pptx(build), tmp_path)) == ["Readahead Ltd"]


def test_charts_give_their_figures_and_diagrams_their_words(tmp_path: Path) -> None:
    def build(presentation: Any) -> None:
        from pptx.chart.data import CategoryChartData
        from pptx.enum.chart import XL_CHART_TYPE

        data: Any = CategoryChartData(number_format="0.0%")  # type: ignore[no-untyped-call]
        data.categories = ["2022", "2023"]
        data.add_series("Rents", (0.5, 0.25))
        data.add_series("Größe", (1, None))
        frame = add_slide(presentation, "Chart").shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, 0, 0, 9, 9, data)
        frame.chart.has_title = True
        frame.chart.chart_title.text_frame.text = "Yields"

    found = read(extract, pptx(build), tmp_path)

    assert texts(found) == ["Yields", " | Rents | Größe\n2022 | 50.0% | 100.0%\n2023 | 25.0%"]
    assert found.report.left_out == ("1 embedded file was left out.",)


def test_a_diagram_gives_its_words_once() -> None:
    from projects.intake.extract.ooxml_graphics import graphic_blocks

    def point(kind: str, text: str) -> str:
        return f"<dgm:pt {kind}><dgm:t><a:p><a:r><a:t>{text}</a:t></a:r></a:p></dgm:t></dgm:pt>"

    model = (
        '<dgm:dataModel xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><dgm:ptLst>'
        + point("type='doc'", "")
        + point("", "Plan")
        + point("type='node'", "Build")
        + point("type='pres'", "Plan")
        + "</dgm:ptLst></dgm:dataModel>"
    )

    assert [(block.page, block.text) for block in graphic_blocks(model.encode(), 3)] == [(3, "Plan\nBuild")]


def test_pictures_are_named(tmp_path: Path) -> None:
    content = edited(pptx(lambda deck: add_slide(deck, "a")), {"ppt/media/image1.png": lambda _: b"x"})

    assert read(extract, content, tmp_path).report.left_out == ("1 picture was left out.",)


@pytest.mark.parametrize("part", ["ppt/presentation.xml", "ppt/slides/slide1.xml", "[Content_Types].xml"])
def test_a_damaged_presentation_says_so(tmp_path: Path, part: str) -> None:
    broken = edited(pptx(lambda deck: add_slide(deck, "a")), {part: lambda xml: xml[: len(xml) // 2]})

    with pytest.raises(ExtractionError, match="The PowerPoint presentation is damaged"):
        read(extract, broken, tmp_path)
