"""Messages of Outlook: header, text and attachments, in Unicode and in older code pages."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from projects.intake.extract import Context, Extraction, ExtractionError, extract
from projects.intake.extract.msg_rtf import unpacked
from tests.cfb import compound

SENT = datetime(2024, 3, 5, 13, 7, tzinfo=UTC)
HEADER = """\
From: Ada Lovelace <ada@example.org>
To: Bob <bob@example.org>
Cc: Carol
Date: 2024-03-05 13:07 +0000
Subject: Größe der Wohnung"""
RTF = b"{\\rtf1\\ansi The rent is 900 euros.}"


@pytest.fixture
def read(tmp_path: Path) -> Any:
    def read_message(content: bytes, name: str = "mail.msg") -> Extraction:
        path = tmp_path / "stored"
        path.write_bytes(content)
        return extract(path, Context(name, folder=Path(mkdtemp(dir=tmp_path))))

    return read_message


def fixed(header: int, numbers: Mapping[int, int]) -> bytes:
    rows = (struct.pack("<HHIQ", 0x0040 if value > 2**32 else 3, number, 6, value) for number, value in numbers.items())
    return b"\0" * header + b"".join(rows)


def ticks(moment: datetime) -> int:
    return int((moment - datetime(1601, 1, 1, tzinfo=UTC)).total_seconds()) * 10_000_000


def message(texts: Mapping[int, str | bytes], *, place: str = "", code_page: int = 0) -> dict[str, bytes]:
    """Return the streams of a message; texts in bytes are in its code page, and so a string of eight bits each."""
    numbers = {0x0039: ticks(SENT), **({0x3FFD: code_page} if code_page else {})}
    streams = {f"{place}__properties_version1.0": fixed(24 if place else 32, numbers)}
    for number, text in texts.items():
        kind, content = ("001F", text.encode("utf-16-le")) if isinstance(text, str) else ("001E", text)
        streams[f"{place}__substg1.0_{number:04X}{kind}"] = content
    return streams


def recipient(index: int, kind: int, name: str, address: str) -> dict[str, bytes]:
    place = f"__recip_version1.0_#{index:08X}/"
    return {
        f"{place}__properties_version1.0": fixed(8, {0x0C15: kind}),
        f"{place}__substg1.0_3001001F": name.encode("utf-16-le"),
        f"{place}__substg1.0_39FE001F": address.encode("utf-16-le"),
    }


def attachment(index: int, name: str, content: bytes, content_id: str = "", media_type: str = "") -> dict[str, bytes]:
    place = f"__attach_version1.0_#{index:08X}/"
    texts = {0x3707: name, 0x3712: content_id, 0x370E: media_type}
    return {
        f"{place}__properties_version1.0": fixed(8, {}),
        f"{place}__substg1.0_37010102": content,
        **{f"{place}__substg1.0_{number:04X}001F": text.encode("utf-16-le") for number, text in texts.items() if text},
    }


LETTER: dict[int, str | bytes] = {
    0x0037: "Größe der Wohnung",
    0x0C1A: "Ada Lovelace",
    0x5D01: "ada@example.org",
    0x1000: "Guten Tag,\r\n\r\ndie Wohnung hat 80,5 m².\r\n",
}


def attached(found: Extraction) -> dict[str, bytes]:
    return {attachment.name: attachment.path.read_bytes() for attachment in found.attachments}


def test_header_and_text_are_read(read: Any) -> None:
    found = read(compound(message(LETTER) | recipient(0, 1, "Bob", "bob@example.org") | recipient(1, 2, "Carol", "")))

    assert [block.text for block in found.blocks] == [
        HEADER,
        "Guten Tag,",
        "die Wohnung hat 80,5 m².",
    ]
    assert found.media_type == "application/vnd.ms-outlook"


def test_the_time_of_day_is_that_of_the_sender_where_the_message_keeps_its_header(read: Any) -> None:
    headers = "Received: by mx\r\nDate: Tue, 05 Mar 2024 14:07:00 +0100\r\n"

    assert "Date: 2024-03-05 14:07 +0100" in read(compound(message({**LETTER, 0x007D: headers}))).blocks[0].text


def test_texts_in_a_code_page_are_read_in_it(read: Any) -> None:
    texts: dict[int, str | bytes] = {0x0037: "Договор".encode("cp1251"), 0x1000: "Аренда".encode("cp1251")}

    found = read(compound(message(texts, code_page=1251)))

    assert ("Subject: Договор" in found.blocks[0].text, found.blocks[1].text) == (True, "Аренда")


def test_a_page_is_read_where_there_is_no_plain_text(read: Any) -> None:
    streams = message({0x0037: "Rent"}) | {"__substg1.0_10130102": b"<meta charset=utf-8><p>Gr\xc3\xb6\xc3\x9fe"}

    assert [block.text for block in read(compound(streams)).blocks][1:] == ["Größe"]


def test_packed_text_is_read_where_there_is_nothing_else(read: Any) -> None:
    packed = struct.pack("<II4sI", len(RTF) + 12, len(RTF), b"MELA", 0) + RTF

    found = read(compound(message({0x0037: "Rent"}) | {"__substg1.0_10090102": packed}))

    assert found.blocks[1].text == "The rent is 900 euros."


def test_packed_text_is_unpacked_as_the_standard_says() -> None:
    example = bytes.fromhex(
        "2d0000002b0000004c5a4675f1c5c7a703000a007263706731323542320af32068656c090020627705b06c647d0a800fa0"
    )

    assert unpacked(example) == b"{\\rtf1\\ansi\\ansicpg1252\\pard hello world}\r\n"
    assert unpacked(example[:30]) == b"{\\rtf1\\ansi\\ansicpg1252"
    assert unpacked(example[:10]) == b""


def test_attachments_become_files_and_logos_do_not(read: Any) -> None:
    streams = (
        message(LETTER)
        | {"__substg1.0_10130102": b'<p>x</p><img src="cid:logo@x">'}
        | attachment(0, "../Mietvertrag Größe.pdf", b"%PDF-1.7" + b"x" * 5_000)
        | attachment(1, "logo.png", b"\x89PNG", "logo@x", "image/png")
    )

    found = read(compound(streams))

    assert attached(found) == {"Mietvertrag Größe.pdf": b"%PDF-1.7" + b"x" * 5_000}
    assert "Attachments: Mietvertrag Größe.pdf" in found.blocks[0].text
    assert found.report.left_out == ("1 small picture in the text of the mail (a logo or a signature).",)


def test_what_was_signed_becomes_a_mail(read: Any) -> None:
    signed = b"Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\nThe rent is 900 euros.\r\n--b--\r\n"
    streams = message({0x0037: "Rent"}) | attachment(0, "smime.p7m", signed, media_type="multipart/signed")

    files = attached(read(compound(streams)))

    assert read(files["smime.p7m.eml"], "smime.p7m.eml").blocks[-1].text == "The rent is 900 euros."


def test_a_message_within_a_message_becomes_a_mail_with_its_own_attachments(read: Any, tmp_path: Path) -> None:
    place = "__attach_version1.0_#00000000/__substg1.0_3701000D/"
    within = {f"{place}{name}": content for name, content in attachment(0, "größe.csv", b"a;b").items()}
    streams = (
        message({0x0037: "Fwd", 0x1000: "See below."})
        | {"__attach_version1.0_#00000000/__properties_version1.0": fixed(8, {})}
        | message(LETTER, place=place)
        | within
    )

    files = attached(read(compound(streams)))
    assert list(files) == ["Größe der Wohnung.eml"]
    inner = read(files["Größe der Wohnung.eml"], "inner.eml")

    assert "From: Ada Lovelace <ada@example.org>\nDate: 2024-03-05 13:07 +0000" in inner.blocks[0].text
    assert inner.blocks[-1].text == "die Wohnung hat 80,5 m²."
    assert attached(inner) == {"größe.csv": b"a;b"}


@pytest.mark.parametrize("share", [0.02, 0.2, 0.5, 0.8])
def test_a_message_that_is_cut_off_says_so(read: Any, share: float) -> None:
    whole = compound(message(LETTER) | attachment(0, "a.pdf", b"x" * 20_000))

    with pytest.raises(ExtractionError, match="damaged or incomplete"):
        read(whole[: int(share * len(whole))])
