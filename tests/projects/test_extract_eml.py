"""Mails: header, text and attachments come out of what mail programs send, sound or broken."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from projects.intake.extract import Context, Extraction, ExtractionError, extract
from projects.intake.extract.mail import DECORATION

LOGO = b"\x89PNG\r\n\x1a\n" + b"l" * 100
SCAN = b"\x89PNG\r\n\x1a\n" + b"s" * DECORATION


@pytest.fixture
def read(tmp_path: Path) -> Any:
    """Return a function that reads a mail with its attachments."""

    def read_mail(content: bytes | EmailMessage, name: str = "mail.eml") -> Extraction:
        path = tmp_path / "stored"
        path.write_bytes(content if isinstance(content, bytes) else bytes(content))
        return extract(path, Context(name, folder=Path(mkdtemp(dir=tmp_path))))

    return read_mail


def mail(text: str = "The rent is 900 euros.", **headers: str) -> EmailMessage:
    message = EmailMessage()
    named = {"From": "Ada Lovelace <ada@example.org>", "To": "bob@example.org", "Subject": "Rent", **headers}
    for name, value in named.items():
        message[name] = value
    message["Date"] = "Tue, 05 Mar 2024 14:07:00 +0100"
    message["Message-ID"] = "<1@example.org>"
    message.set_content(text)
    return message


def body(found: Extraction) -> list[str]:
    return [block.text for block in found.blocks[1:]]


def attached(found: Extraction) -> dict[str, bytes]:
    return {attachment.name: attachment.path.read_bytes() for attachment in found.attachments}


def test_the_header_comes_first_and_quoted_replies_stay(read: Any) -> None:
    found = read(mail("Agreed.\n\nOn Monday Bob wrote:\n> Shall we?\n> Bob", Cc="Carol <carol@example.org>"))

    assert found.blocks[0].text.split("\n") == [
        "From: Ada Lovelace <ada@example.org>",
        "To: bob@example.org",
        "Cc: Carol <carol@example.org>",
        "Date: 2024-03-05 14:07 +0100",
        "Subject: Rent",
    ]
    assert body(found) == ["Agreed.", "On Monday Bob wrote:\n> Shall we?\n> Bob"]
    assert found.media_type == "message/rfc822"


def test_the_plain_form_is_preferred_and_a_page_read_where_there_is_no_other(read: Any) -> None:
    both = mail("Plain text.")
    both.add_alternative("<p>A page.</p>", subtype="html")
    page = mail()
    page.set_content("<h1>Rent</h1><p>It is <b>900</b> euros.</p><script>run()</script>", subtype="html")

    assert body(read(both)) == ["Plain text."]
    assert [(block.level, block.text) for block in read(page).blocks[1:]] == [
        (1, "Rent"),
        (0, "It is 900 euros."),
    ]


def test_a_plain_form_that_is_only_a_stub_gives_way(read: Any) -> None:
    message = mail("Please use a newer program.")
    message.add_alternative(f"<p>{'The rent rises in March. ' * 10}</p>", subtype="html")

    assert body(read(message)) == [("The rent rises in March. " * 10).strip()]


def test_attachments_become_files_with_safe_names(read: Any) -> None:
    message = mail()
    message.add_attachment(b"%PDF-1.7", maintype="application", subtype="pdf", filename="../../Mietvertrag Größe.pdf")
    message.add_attachment("a;b\n1;2", filename="a & b [1].csv")
    message.add_attachment(b"no name", maintype="application", subtype="pdf")

    found = read(message)

    assert attached(found) == {
        "Mietvertrag Größe.pdf": b"%PDF-1.7",
        "a & b [1].csv": b"a;b\n1;2\n",
        "attachment-3.pdf": b"no name",
    }
    assert "Attachments: Mietvertrag Größe.pdf, a & b [1].csv, attachment-3.pdf" in found.blocks[0].text
    assert all(attachment.path.stat().st_mode & 0o077 == 0 for attachment in found.attachments)


def test_attachments_are_not_saved_where_nobody_wants_them(tmp_path: Path) -> None:
    message = mail()
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="a.pdf")
    (tmp_path / "stored").write_bytes(bytes(message))

    assert extract(tmp_path / "stored", Context("mail.eml")).attachments == ()


def test_small_pictures_within_the_text_are_not_taken_large_ones_are(read: Any) -> None:
    message = mail()
    message.add_alternative('<p>x</p><img src="cid:logo@x"><img src="cid:scan@x">', subtype="html")
    payload: Any = message.get_payload()
    page = payload[1]
    page.add_related(LOGO, maintype="image", subtype="png", cid="<logo@x>", filename="logo.png")
    page.add_related(SCAN, maintype="image", subtype="png", cid="<scan@x>", filename="scan.png")
    message.add_attachment(LOGO, maintype="image", subtype="png", filename="photo.png")

    found = read(message)

    assert sorted(attached(found)) == ["photo.png", "scan.png"]
    assert found.report.left_out == ("1 small picture in the text of the mail (a logo or a signature).",)


def test_a_mail_within_a_mail_is_an_attachment(read: Any) -> None:
    inner = mail("The first mail.", Subject="Notice / of March")
    inner.add_attachment(b"x", maintype="application", subtype="pdf", filename="a.pdf")
    outer = mail("See below.")
    outer.add_attachment(inner)

    files = attached(found := read(outer))

    assert list(files) == ["of March.eml"]
    assert b"The first mail." in files["of March.eml"]
    assert body(found) == ["See below."]


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        (b"Subject: =?utf-8?q?Gr=C3=B6=C3=9Fe?= =?utf-8?b?IGRlcyBNw7xsbGVycw==?=", "Größe des Müllers"),
        (b"Subject: =?utf-8?b?R3LD?= =?utf-8?b?tsOfZQ==?=", "Größe"),
        (b"Subject: =?iso-8859-1?Q?M=FCller_&_Co?= (new)", "Müller & Co (new)"),
        (b"Subject: =?nonsense?Q?M=C3=BCller?=", "Müller"),
        (b"Subject: =?utf-8?b?broken", "=?utf-8?b?broken"),
        (b"Subject: one\r\n two\r\n\tthree", "one two three"),
        ("Subject: Müller".encode(), "Müller"),
        ("Subject: Müller".encode("cp1252"), "Müller"),
        (rb"Subject: C:\users\new", r"C:\users\new"),
        (b"Subject: =?iso-2022-jp?B?GyRCREJCXxsoQg==?=", "賃貸"),
    ],
    ids=[
        "two-words",
        "cut-in-a-letter",
        "latin-1",
        "unknown-charset",
        "cut-off",
        "folded",
        "raw-utf-8",
        "raw-cp1252",
        "backslashes",
        "japanese",
    ],
)
def test_headers_are_read_however_they_are_written(read: Any, line: bytes, shown: str) -> None:
    found = read(line + b"\r\nFrom: a@example.org\r\n\r\nText.\r\n")

    assert f"Subject: {shown}" in found.blocks[0].text.split("\n")


@pytest.mark.parametrize(
    ("parameters", "content", "text"),
    [
        ("text/plain; charset=utf-8", "Größe".encode(), "Größe"),
        ("text/plain; charset=iso-8859-1", "Größe – 5 €".encode("cp1252"), "Größe – 5 €"),
        ("text/plain; charset=us-ascii", "Größe".encode(), "Größe"),
        ("text/plain; charset=unknown-8bit", "Herr Müller zahlt".encode("cp1252"), "Herr Müller zahlt"),
        ("text/plain", "Herr Müller zahlt".encode("cp1252"), "Herr Müller zahlt"),
        ("text/plain; charset=koi8-r", "Договор".encode("koi8-r"), "Договор"),
        ("text/html", "<meta charset=windows-1251><p>Договор".encode("cp1251"), "Договор"),
        ("text/plain; charset=utf-8; format=flowed", b"one \r\ntwo\r\n> a \r\n> b\r\nthree", "one two\n> a b\nthree"),
        ("multipart/mixed", b"a multipart without parts", "a multipart without parts"),
    ],
    ids=["utf-8", "latin-1", "ascii", "unknown", "none", "koi8", "page", "flowed", "no-boundary"],
)
def test_the_text_is_decoded_as_declared_unless_that_is_wrong(
    read: Any, parameters: str, content: bytes, text: str
) -> None:
    found = read(f"From: a@example.org\r\nContent-Type: {parameters}\r\n\r\n".encode() + content)

    assert body(found) == [text]
    assert found.warnings == ()


def test_characters_that_are_lost_are_counted(read: Any) -> None:
    found = read(b"Subject: x\r\nContent-Type: text/plain; charset=cp1252\r\n\r\nM\xfcller \x81\r\n")

    assert (body(found), found.report.replaced) == (["Müller �"], 1)
    assert found.warnings == ("1 character could not be read in the encoding that the mail declares.",)


@pytest.mark.parametrize("date", [b"", b"Date: \r\n", b"Date: some day in March\r\n", b"Date: 99 Xyz 99999999\r\n"])
def test_a_missing_or_broken_date_is_no_obstacle(read: Any, date: bytes) -> None:
    found = read(b"Subject: Rent\r\n" + date + b"\r\nText.\r\n")

    assert body(found) == ["Text."]
    assert ("some day in March" in found.blocks[0].text) == (b"March" in date)


def test_a_name_in_raw_bytes_or_in_pieces_is_read(read: Any) -> None:
    found = read(
        b"Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n"
        b"--b\r\nContent-Disposition: attachment; filename=M\xc3\xbcller.pdf\r\n\r\none\r\n"
        b"--b\r\nContent-Disposition: attachment; filename*0*=utf-8''Gr%C3%B6; filename*1*=%C3%9Fe.pdf\r\n\r\ntwo\r\n"
        b'--b\r\nContent-Type: application/pdf; name="=?utf-8?q?stra=C3=9Fe.pdf?="\r\n\r\nthree\r\n--b--\r\n'
    )

    assert list(attached(found)) == ["Müller.pdf", "Größe.pdf", "straße.pdf"]


def test_an_encrypted_mail_says_so(read: Any) -> None:
    with pytest.raises(ExtractionError, match="The mail is encrypted"):
        read(b"Subject: x\r\nContent-Type: application/pkcs7-mime; name=smime.p7m\r\n\r\nMIIB")


def test_a_mail_nested_without_end_fails_with_a_sentence(read: Any) -> None:
    head = b"Subject: x\r\n"
    for level in range(3_000):
        head += b"Content-Type: multipart/mixed; boundary=%d\r\n\r\n--%d\r\n" % (level, level)

    with pytest.raises(ExtractionError, match="nested deeper"):
        read(head + b"\r\ntext")


def test_a_box_of_mails_is_read_mail_by_mail(read: Any) -> None:
    first, second = bytes(mail("One.\n\n>From March on.")), bytes(mail("Two.", Subject=""))
    found = read(
        b"From ada@example.org Tue Mar  5 14:07:00 2024\n"
        + first
        + b"\nFrom MAILER Wed Mar  6 14:07:00 2024\n"
        + second,
        "inbox",
    )

    assert [(block.level, block.text.split("\n")[0]) for block in found.blocks] == [
        (1, "Rent"),
        (0, "From: Ada Lovelace <ada@example.org>"),
        (0, "One."),
        (0, "From March on."),
        (1, "Message 2"),
        (0, "From: Ada Lovelace <ada@example.org>"),
        (0, "Two."),
    ]


def test_a_mail_as_apple_keeps_it_is_read_without_its_frame(read: Any) -> None:
    content = b"Subject: Rent\n\nDue.\n"
    found = read(b"%d\n" % len(content) + content + b"<?xml version='1.0'?><plist></plist>", "1.emlx")

    assert body(found) == ["Due."]


def test_a_saved_page_is_read_without_its_styles(read: Any) -> None:
    found = read(
        b"From: <Saved>\r\nSubject: Prices\r\nMIME-Version: 1.0\r\n"
        b"Content-Type: multipart/related; boundary=b; type=text/html\r\n\r\n"
        b"--b\r\nContent-Type: text/html\r\nContent-Location: https://example.org/\r\n\r\n<p>12,50</p>\r\n"
        b"--b\r\nContent-Type: text/css\r\nContent-Location: cid:css@x\r\n\r\np { color: red }\r\n--b--\r\n",
        "page.mht",
    )

    assert (body(found), found.attachments) == (["12,50"], ())
    assert found.report.left_out == ("Pictures and styles of the saved page.",)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=80), st.integers(0, 400))
def test_no_damage_breaks_it(noise: bytes, more: bytes, place: int) -> None:
    from email import message_from_bytes

    from projects.intake.extract.eml import _letter
    from projects.intake.extract.mail import extraction_of

    message = mail()
    message.add_alternative("<p>x</p>", subtype="html")
    message.add_attachment(b"x" * 50, maintype="application", subtype="pdf", filename="größe.pdf")
    sound = bytes(message)
    broken = sound[:place] + noise + sound[place + len(more) :] + more

    assert extraction_of("message/rfc822", [_letter(message_from_bytes(broken))], Context()).blocks
