"""Books: the chapters in their order, as text."""

from __future__ import annotations

from pathlib import Path

import pytest

from projects.intake.extract import ExtractionError
from projects.intake.extract.epub import extract
from tests.office import packed, read, texts

CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)


def page(body: str, title: str = "<title/>") -> str:
    return (
        '<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml">'
        f"<head>{title}</head><body>{body}</body></html>"
    )


def book(order: list[str], parts: dict[str, str], **more: str) -> bytes:
    """Return a book whose chapters, named as their parts without the ending, come in this order."""
    items = "".join(
        f'<item id="{name}" href="text/{name}.xhtml" media-type="application/xhtml+xml"/>' for name in order
    )
    references = "".join(f'<itemref idref="{name}"/>' for name in order)
    package = (
        f'<package xmlns="http://www.idpf.org/2007/opf"><manifest>{items}'
        '<item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/></manifest>'
        f'<spine><itemref idref="nav"/>{references}</spine></package>'
    )
    return packed(
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER,
            "OEBPS/book.opf": package,
            "OEBPS/nav.xhtml": page("<p>contents</p>"),
            **{f"OEBPS/text/{name}.xhtml": content for name, content in parts.items()},
            **more,
        }
    )


def test_chapters_come_in_their_order_with_headings_and_tables(tmp_path: Path) -> None:
    parts = {
        "a": page("<h1>Zwei</h1><p>Größe &amp; 😀 C:\\new</p>"),
        "b": page(
            "<h1>Eins</h1><table><tr><th>Item</th><th>Price</th></tr><tr><td>Lamp</td><td>12.50</td></tr></table>"
        ),
    }

    found = read(extract, book(["b", "a"], parts), tmp_path)

    assert [(block.level, block.text) for block in found.blocks] == [
        (1, "Eins"),
        (0, "Item | Price\nLamp | 12.50"),
        (1, "Zwei"),
        (0, "Größe & 😀 C:\\new"),
    ]
    assert found.report.tables == 1


def test_scripts_and_styles_are_no_text_and_empty_elements_swallow_none(tmp_path: Path) -> None:
    body = (
        '<script src="x.js"/><style>p {color: red}</style><p>one<a id="x"/><i class="y"/> two<br/>three</p>'
        "<div/><p>four</p>"
    )

    assert texts(read(extract, book(["a"], {"a": page(body)}), tmp_path)) == ["one two\nthree", "four"]


def test_a_chapter_that_is_not_in_the_file_is_named(tmp_path: Path) -> None:
    found = read(extract, book(["a", "b"], {"a": page("<p>text</p>")}), tmp_path)

    assert texts(found) == ["text"]
    assert found.warnings == ("1 chapter is missing in the file.",)


@pytest.mark.parametrize(
    ("method", "is_locked"),
    [("http://www.w3.org/2001/04/xmlenc#aes128-cbc", True), ("http://www.idpf.org/2008/embedding", False)],
    ids=["text", "fonts"],
)
def test_a_book_protected_against_copying_says_so_but_not_one_with_locked_fonts(
    tmp_path: Path, method: str, is_locked: bool
) -> None:
    encryption = f'<encryption><EncryptedData><EncryptionMethod Algorithm="{method}"/></EncryptedData></encryption>'
    content = book(["a"], {"a": page("<p>text</p>")}, **{"META-INF/encryption.xml": encryption})

    if is_locked:
        with pytest.raises(ExtractionError, match="protected against copying"):
            read(extract, content, tmp_path)
    else:
        assert texts(read(extract, content, tmp_path)) == ["text"]


def test_entities_of_the_list_of_chapters_are_not_expanded(tmp_path: Path) -> None:
    nested = "".join(f'<!ENTITY e{n} "{f"&e{n - 1};" * 10 if n else "ha"}">' for n in range(12))
    bomb = packed(
        {"META-INF/container.xml": f"<!DOCTYPE x [{nested}]><x>&e11;</x>", "mimetype": "application/epub+zip"}
    )

    with pytest.raises(ExtractionError, match="The EPUB book is damaged"):
        read(extract, bomb, tmp_path)


@pytest.mark.parametrize(
    "parts",
    [{}, {"META-INF/container.xml": CONTAINER}, {"META-INF/container.xml": "<container>"}],
    ids=["empty", "no list", "broken"],
)
def test_a_damaged_book_says_so(tmp_path: Path, parts: dict[str, str]) -> None:
    with pytest.raises(ExtractionError, match="The EPUB book is damaged: its list of chapters cannot be read"):
        read(extract, packed({"mimetype": "application/epub+zip", **parts}), tmp_path)
