r"""RTF: letters in every way that they are written in, tables row by row, what is no text left out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from projects.intake.extract.base import Extraction
from projects.intake.extract.rtf import extract
from tests.office import read, texts

HEAD = (
    rb"{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset204 Arial Cyr;}"
    rb"{\f2\fcharset128 MS Mincho;}{\f3\fcharset2 Symbol;}}{\colortbl;\red0\green0\blue0;}"
    rb"{\stylesheet{\s0 Normal;}{\s1\sbasedon0 heading 1;}{\s7\outlinelevel1 Klausel;}{\s9 Title;}}"
    rb"{\info{\title A title of the file}{\author Ada}}"
)


@pytest.fixture
def rtf(tmp_path: Path) -> Any:
    """Return a function that reads a document with this text."""

    def read_rtf(text: bytes) -> Extraction:
        return read(extract, HEAD + text + b"}", tmp_path)

    return read_rtf


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (rb"Gr\'f6\'dfe \'80 900", "Größe € 900"),
        ("Größe €".encode("cp1252"), "Größe €"),
        (rb"\u8364?\u246\'f6", "€ö"),
        (rb"\uc2\u8364EU\u246\'81\'81x", "€öx"),
        (rb"\uc0\u8364 100", "€100"),
        (rb"\u-10179?\u-8704?", "😀"),
        (rb"{\f1 \'cf\'f0\'e8\'e2\'e5\'f2} \'fc", "Привет ü"),
        (rb"{\f2 \'89\'c6\'92\'c0\'83A}", "家賃ア"),
        (rb"\f1\'cf \plain\'cf", "П Ï"),
        (rb"\ldblquote a\rdblquote\endash b\emdash c\bullet d\rquote e", "“a”–b—c•d’e"),
        (rb"a\tab b\~c\_d\-e", "a\tb\u00a0c-de"),
        (rb"\{x\} \\n C:\\new", "{x} \\n C:\\new"),
        (b"one\r\n two", "one two"),
        (rb"e\u769?t", "ét"),
        (rb"\u1593?\u1602?\u1583?", "عقد"),
        (rb"{\upr{ANSI}{\*\ud{\u8364?uro}}}", "€uro"),
    ],
    ids=range(16),
)
def test_letters_are_read_however_they_are_written(rtf: Any, written: bytes, text: str) -> None:
    found = rtf(rb"\pard " + written + rb"\par")

    assert texts(found) == [text]
    assert found.report.replaced == 0


@pytest.mark.parametrize(
    ("page", "byte", "text"), [(b"1250", b"\xb9", "ą"), (b"1251", b"\xc6", "Ж"), (b"437", b"\x81", "ü")]
)
def test_the_code_page_of_the_document_counts(tmp_path: Path, page: bytes, byte: bytes, text: str) -> None:
    assert texts(read(extract, rb"{\rtf1\ansi\ansicpg" + page + rb" " + byte + rb"\par}", tmp_path)) == [text]


def test_letters_that_a_code_page_does_not_have_are_counted(rtf: Any) -> None:
    assert rtf(rb"a\'81b\par").report.replaced == 1


def test_headings_are_found_by_their_styles_and_levels(rtf: Any) -> None:
    found = rtf(
        rb"\pard\plain\s9 Lease\par\pard\s1 Rent\par\pard\s0 900 euros\par"
        rb"\pard\s7 Deposit\par\pard\outlinelevel2 Interest\par\pard\s1\pard none\par"
    )

    assert [(block.level, block.text) for block in found.blocks] == [
        (1, "Lease"),
        (1, "Rent"),
        (0, "900 euros"),
        (2, "Deposit"),
        (3, "Interest"),
        (0, "none"),
    ]


def test_tables_keep_rows_and_columns_and_merged_cells(rtf: Any) -> None:
    found = rtf(
        rb"\pard before\par\trowd\trhdr\cellx1\cellx2\pard\intbl Item\cell Price\cell\row"
        rb"\trowd\clvmgf\cellx1\cellx2\pard\intbl Lamp\par on a desk\cell 12,50\cell\row"
        rb"\trowd\clvmrg\cellx1\cellx2\pard\intbl\cell 13,50\cell\row"
        rb"\trowd\cellx1\cellx2\pard\intbl outer {\pard\intbl\itap2 in1\nestcell in2\nestcell"
        rb"{\*\nesttableprops\trowd\cellx1\nestrow}{\nonesttables\par}}\cell x\cell\row\pard after\par"
    )

    assert texts(found) == [
        "before",
        "Item | Price\nLamp on a desk | 12,50\nLamp on a desk | 13,50\nouter in1 | in2 | x",
        "after",
    ]
    assert found.report.tables == 1


def test_boxes_notes_headers_and_footers_come_once_in_their_places(rtf: Any) -> None:
    found = rtf(
        rb"{\header \pard Confidential\par}{\headerf Confidential\par}{\footerl \pard Page\par}"
        rb"\pard text{\*\shpinst{\sp{\sn wzName}{\sv Box 1}}{\shptxt \pard boxed\par}{\shprslt{\*\do boxed}}}"
        rb" with a note{\footnote \pard Cold rent.\par}.\par\pard end\par"
    )

    assert texts(found) == ["Confidential", "text with a note.", "boxed", "end", "Cold rent.", "Page"]


def test_pictures_comments_and_deletions_are_left_out_and_named(rtf: Any) -> None:
    found = rtf(
        rb"\pard kept{\deleted thrown away}{\*\shppict{\pict\pngblip\bin6 }}}{{{}}{\nonshppict{\pict 00}}"
        rb"{\*\annotation a remark}{\*\unknown nothing}{\field{\*\fldinst PAGE}{\fldrslt 7}}{\xe index}\par"
    )

    assert texts(found) == ["kept7"]
    assert found.report.left_out == (
        "1 picture was left out.",
        "Comments were left out.",
        "Text that was deleted with tracking of changes was left out.",
    )


def test_a_file_that_was_cut_off_gives_what_is_left_of_it_and_says_so(tmp_path: Path) -> None:
    found = read(extract, HEAD + rb"\pard first\par\trowd\cellx1\pard\intbl ce", tmp_path)

    assert texts(found) == ["first", "ce"]
    assert found.warnings == ("The file ends in the middle: it was cut off, and only what is left of it was read.",)


def test_what_follows_the_document_is_no_part_of_it(rtf: Any) -> None:
    assert texts(rtf(rb"\pard text\par}garbage{\par")) == ["text"]


words = st.text(st.characters(exclude_categories=("C", "Z", "M")), min_size=1, max_size=12)


def escaped(text: str) -> bytes:
    """Write text as Word does: UTF-16 numbers, each with a letter for programs without Unicode."""
    units = memoryview(text.encode("utf-16-le")).cast("H")
    return b"".join(rb"\u%d?" % (unit - 65_536 if unit > 32_767 else unit) for unit in units)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(words, min_size=2, max_size=4), min_size=1, max_size=8))
def test_every_cell_of_any_table_is_found_again_in_order(rtf: Any, rows: list[list[str]]) -> None:
    from unicodedata import normalize

    table = b"".join(
        rb"\trowd\pard\intbl " + b"".join(escaped(text) + rb"\cell " for text in cells) + rb"\row" for cells in rows
    )
    lines = "\n".join(texts(rtf(table + rb"\pard\par"))).split("\n")
    expected = [" | ".join(normalize("NFC", text) for text in cells) for cells in rows]

    # A header is said again at the top of each block.
    assert [line for line in lines if line != expected[0]] == [line for line in expected if line != expected[0]]
    assert lines[0] == expected[0]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.sampled_from([b"{", b"}", rb"\cell", rb"\row", rb"\par", rb"\u", rb"\bin9 ", rb"\'f", b"x", rb"\*", b"\\"])
    )
)
def test_no_sequence_of_words_makes_the_reader_fail(tmp_path: Path, words: list[bytes]) -> None:
    read(extract, HEAD + b"".join(words), tmp_path)
