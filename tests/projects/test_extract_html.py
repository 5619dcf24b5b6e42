"""Pages in HTML: what a person sees comes out, in order, and nothing that runs or is hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from projects.intake.extract import Context, extract
from projects.intake.extract.html_blocks import read_page


def texts(markup: str | bytes) -> list[str]:
    return [block.text for block in read_page(markup).blocks]


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read_bytes(content: bytes, name: str = "page.html") -> Any:
        path = tmp_path / "stored"
        path.write_bytes(content)
        return extract(path, Context(name))

    return read_bytes


def test_code_styles_and_hidden_text_are_left_out_and_entities_are_letters() -> None:
    markup = r"""
        <html><head><style>p { color: red }</style><script>alert("a < b")</script></head><body>
        <!-- a comment --><p>Gr&ouml;&szlig;e: 5&nbsp;m&sup2; &lt;net&gt; &amp; C:\new</p>
        <template><p>template</p></template><noscript>switch it on</noscript>
        <p hidden>hidden</p><div style="color: red; DISPLAY : none"><p>not shown</p></div>
        <p onclick="run()">Gr&#246;&#xDF;e</p><script>document.write("written")</script></body></html>"""

    assert texts(markup) == [r"Größe: 5 m² <net> & C:\new", "Größe"]


def test_headings_have_their_levels_and_paragraphs_their_breaks() -> None:
    markup = "<h1>Lease <em>2024</em></h1><p>Rent:<br>900\n   euros</p>loose text<h3>Sub</h3><div>a<div>b</div>c</div>"

    assert [(block.level, block.text) for block in read_page(markup).blocks] == [
        (1, "Lease 2024"),
        (0, "Rent:\n900 euros"),
        (0, "loose text"),
        (3, "Sub"),
        (0, "a"),
        (0, "b"),
        (0, "c"),
    ]


def test_lists_are_lines_with_their_marks() -> None:
    markup = "<ul><li>one<li><p>two</p><p>more</p><ol start=3><li>three</li><li>four</li></ol></ul><p>after</p>"

    assert texts(markup) == ["- one\n- two\n  more\n  3. three\n  4. four", "after"]


def test_preformatted_text_keeps_its_lines_and_spaces() -> None:
    assert texts("<pre>\nif a:\n    b &lt; c\n\nend</pre><p>x</p>") == ["if a:\n    b < c\n\nend", "x"]


def test_quotations_are_marked_line_by_line() -> None:
    assert texts("<p>Yes.</p><blockquote>Shall we?<blockquote>We<br>might.</blockquote></blockquote>") == [
        "Yes.",
        "> Shall we?\n> > We\n> > might.",
    ]


def test_a_table_keeps_rows_and_columns() -> None:
    markup = """<table><caption>Prices</caption><thead><tr><th>Item<th>Net<th>Gross</thead>
        <tr><td><p>Lamp</p><td>12,50<td>14,88<tr><td>Desk<td><td>200</table>"""

    assert texts(markup) == ["Prices", "Item | Net | Gross\nLamp | 12,50 | 14,88\nDesk |  | 200"]


def test_a_cell_over_several_rows_stands_in_each_and_one_over_columns_keeps_their_places() -> None:
    markup = """<table><tr><td rowspan=3>March<td>rent<td>900<tr><td>heating<td>80<tr><td colspan=2>none
        <tr><td>April<td>rent<td>900</table>"""

    assert texts(markup) == ["March | rent | 900\nMarch | heating | 80\nMarch | none\nApril | rent | 900"]


def test_every_block_of_a_long_table_begins_with_its_header() -> None:
    rows = "".join(f"<tr><td>{n}</td><td>Lovelace</td></tr>" for n in range(300))
    blocks = texts(f"<table><tr><th>Number</th><th>Tenant</th></tr>{rows}</table>")

    assert len(blocks) > 3
    assert {block.split("\n")[0] for block in blocks} == {"Number | Tenant"}


def test_a_table_that_lays_out_a_page_is_no_table() -> None:
    markup = """<table><tr><td>Logo<td><table><tr><td>Dear tenant,<tr><td>the rent rises.</table></table>
        <table role=presentation><tr><td>left<td>right</table>"""

    assert texts(markup) == ["Logo", "Dear tenant,", "the rent rises.", "left", "right"]


def test_what_was_typed_ticked_and_chosen_in_a_form_is_read() -> None:
    markup = """<form>Name: <input value="Ada"><input type=hidden value=secret><input type=password value=secret><br>
        <input type=checkbox checked>paid<br><select><option>no<option selected>yes</select></form>"""

    assert texts(markup) == ["Name: Ada\n[x] paid\nyes"]


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("<p>Größe".encode(), "Größe"),
        ("<meta charset=iso-8859-1><p>Größe – 5 €".encode("cp1252"), "Größe – 5 €"),
        ("<meta charset=iso-8859-1><p>Größe".encode(), "Größe"),
        (
            '<meta http-equiv=Content-Type content="text/html; charset=windows-1251"><p>Договор'.encode("cp1251"),
            "Договор",
        ),
        ('<?xml version="1.0" encoding="shift_jis"?><p>賃貸借契約書'.encode("shift_jis"), "賃貸借契約書"),
        ("<meta charset=iso-2022-jp><p>賃貸借".encode("iso-2022-jp"), "賃貸借"),
        ("<meta charset=utf-16><p>Größe".encode("utf-16"), "Größe"),
        ("<meta charset=nonsense><p>Herr Müller".encode("cp1252"), "Herr Müller"),
    ],
    ids=["utf-8", "latin-1", "wrong-declaration", "http-equiv", "xml", "seven-bit", "utf-16", "unknown"],
)
def test_a_page_is_decoded_as_it_says_unless_that_is_wrong(content: bytes, text: str) -> None:
    assert texts(content) == [text]


@pytest.mark.parametrize("tag", ["div", "b", "font", "blockquote", "ul><li", "table><tr><td", "span"])
def test_a_page_that_is_nested_without_end_loses_nothing(tag: str) -> None:
    blocks = texts(f"<{tag}>x" * 3_000 + "deep</p>")

    assert "".join(blocks).count("x") == 3_000
    assert "deep" in blocks[-1]


def test_cells_that_claim_to_cover_everything_unfold_to_little() -> None:
    blocks = texts("<table>" + "<tr><td colspan=999999 rowspan=65534>x<td>y" * 300 + "</table>")

    assert sum(map(len, blocks)) < 3_000_000


@given(st.text(alphabet="<>/&; abctdrhpulie=\"'1!-", max_size=300))
def test_no_markup_breaks_it(markup: str) -> None:
    assert all(block.text.strip() for block in read_page(markup).blocks)


def test_the_title_is_the_first_heading_unless_the_page_shows_it(read: Any) -> None:
    body = b"<p>The rent is 900 euros.</p>"

    with_title = read(b"<html><head><title>Lease\n 2024</title></head><body>" + body)
    shown = read(b"<html><head><title>Lease</title></head><body><h2>Lease</h2>" + body)

    assert [(block.level, block.text) for block in with_title.blocks] == [
        (1, "Lease 2024"),
        (0, "The rent is 900 euros."),
    ]
    assert [block.level for block in shown.blocks] == [2, 0]


def test_the_report_counts_tables_and_names_what_was_left_out(read: Any) -> None:
    found = read(b"<meta charset=windows-1252><p>M\xfcller \x81</p><img src=a><img src=b><table><tr><td>a<td>b</table>")

    assert (found.report.tables, found.report.replaced) == (1, 1)
    assert found.report.left_out == ("2 pictures were left out.",)
    assert found.warnings == ("1 character could not be read in the encoding cp1252.",)


def test_a_page_of_code_alone_has_no_text(read: Any) -> None:
    with pytest.raises(Exception, match="There is no text in this file"):
        read(b"<html><head></head><body><script>run()</script></body></html>")
