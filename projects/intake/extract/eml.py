"""Reads mails as programs send and keep them (.eml, .emlx, .mht), and boxes of them (.mbox)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from email.policy import compat32
from pathlib import Path

from projects.intake.extract.base import Context, Extraction, ExtractionError
from projects.intake.extract.decoding import Decoded, decode_as
from projects.intake.extract.html_blocks import decode_markup
from projects.intake.extract.mail import Body, File, Letter, extraction_of
from projects.intake.extract.mail_header import date_of, header, parameter
from projects.intake.extract.sniff import EML

MOST_LEVELS = 50
"""Of parts within parts; mail programs come to five."""
TOO_DEEP = "The mail is nested deeper than any mail program does, and was not read."
LOCKED = "The mail is encrypted. Save it decrypted in your mail program and add it again."

_BOX_LINE = re.compile(rb"^From [^\r\n]*\d{4}[^\r\n]*\r?\n(?=[!-9;-~]+:)", re.MULTILINE)
_QUOTED_BOX_LINE = re.compile(rb"^>(>*From )", re.MULTILINE)
_TEXTS = {"text/plain", "text/html"}
_SIGNATURES = {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
_LOCKS = {"application/pgp-encrypted", "application/pkcs7-mime", "application/x-pkcs7-mime"}
_PAGE_PARTS = ("image/", "font/", "text/css", "text/javascript", "application/javascript")


def extract(path: Path, context: Context) -> Extraction:
    """Read a mail, or every mail of a box; files that came with them are attachments."""
    try:
        letters = [_letter(message_from_bytes(content, policy=compat32)) for content in _mails(path.read_bytes())]
    except RecursionError as error:
        raise ExtractionError(TOO_DEEP) from error
    return extraction_of(EML, letters, context)


def _mails(content: bytes) -> Iterator[bytes]:
    """Yield the mails in a file: one, but for a box, where a line 'From …' after a blank one begins each."""
    content = content.lstrip(b"\xef\xbb\xbf \t\r\n")
    starts = [
        match
        for match in _BOX_LINE.finditer(content)
        if match.start() == 0 or content[match.start() - 3 : match.start()].endswith((b"\n\n", b"\n\r\n"))
    ]
    if starts and starts[0].start() == 0:
        ends = [*(match.start() for match in starts[1:]), len(content)]
        for start, end in zip(starts, ends, strict=True):
            yield _QUOTED_BOX_LINE.sub(rb"\1", content[start.end() : end])
        return
    first, _, rest = content.partition(b"\n")  # .emlx: the mail's length stands above it
    yield rest[: int(first)] if first.strip().isdigit() and len(first) < 12 else content


@dataclass
class _Parts:
    """What the parts of a mail come to besides its text."""

    files: list[File] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    replaced: int = 0
    locked: bool = False

    def text(self, decoded: Decoded) -> str:
        self.replaced += decoded.replaced
        return decoded.text


def _letter(message: Message) -> Letter:
    parts = _Parts()
    bodies = tuple(_bodies(message, parts, 0))
    if parts.locked and not bodies:
        raise ExtractionError(LOCKED)
    return Letter(
        sender=header(message, "from"),
        to=header(message, "to"),
        cc=header(message, "cc"),
        bcc=header(message, "bcc"),
        date=date_of(header(message, "date")),
        subject=header(message, "subject"),
        bodies=bodies,
        files=tuple(parts.files),
        left_out=tuple(parts.left_out),
        replaced=parts.replaced,
    )


def _bodies(part: Message, parts: _Parts, level: int) -> Iterator[Body]:
    """Yield the pieces of text in a part, in order, and put aside what else is in it."""
    if level > MOST_LEVELS:
        raise ExtractionError(TOO_DEEP)
    kind = part.get_content_type()
    if kind == "multipart/alternative":
        yield from _alternative(part, parts, level)
    elif kind.startswith("multipart/") and part.is_multipart():
        for child in _children(part):
            yield from _bodies(child, parts, level + 1)
    elif kind == "message/delivery-status":
        yield Body("\n\n".join("\n".join(f"{k}: {v}" for k, v in child.items()) for child in _children(part)))
    elif _is_text(part, kind) or kind.startswith("multipart/"):
        yield _body(part, kind, parts)
    else:
        _put_aside(part, kind, parts)


def _alternative(part: Message, parts: _Parts, level: int) -> Iterator[Body]:
    """Yield one text of a part that holds the same in several forms; forms that are no text say nothing new."""
    found = []
    for child in _children(part):
        kind = child.get_content_type()
        if kind.startswith("multipart/") or kind in _TEXTS or child.get_content_disposition() or _name(child):
            found += list(_bodies(child, parts, level + 1))
    if found:
        yield Body(_joined(body.plain for body in found), _joined(body.html for body in found))


def _joined(texts: Iterator[str]) -> str:
    return "\n\n".join(filter(None, texts))


def _children(part: Message) -> list[Message]:
    payload = part.get_payload()
    return [child for child in payload if isinstance(child, Message)] if isinstance(payload, list) else []


def _is_text(part: Message, kind: str) -> bool:
    """Tell a piece of the mail's text from a text file that came with it."""
    disposition = part.get_content_disposition()
    return kind in _TEXTS and disposition != "attachment" and not (disposition and _name(part))


def _body(part: Message, kind: str, parts: _Parts) -> Body:
    content = _content(part)
    charset = parameter(part, "content-type", "charset")
    if kind == "text/html":
        return Body(html=parts.text(decode_markup(content, charset)))
    text = parts.text(decode_as(content, charset))
    if parameter(part, "content-type", "format").lower() == "flowed":
        text = _unflowed(text, parameter(part, "content-type", "delsp").lower() == "yes")
    return Body(plain=text)


def _unflowed(text: str, drop_space: bool) -> str:
    """Join lines that were only broken for sending (RFC 3676): they end with a space, and quotations stay apart."""
    lines: list[str] = []
    open_quote: str | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        rest = line.lstrip(">")
        quote, shown = line[: len(line) - len(rest)], rest.removeprefix(" ")
        if quote == open_quote:
            lines[-1] += shown
        else:
            lines.append(f"{quote} {shown}" if quote else shown)
        flows = shown.endswith(" ") and shown != "-- "
        open_quote = quote if flows else None
        if flows and drop_space:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


def _put_aside(part: Message, kind: str, parts: _Parts) -> None:
    if kind in _SIGNATURES:
        parts.left_out.append("The digital signature of the mail.")
    elif kind in _LOCKS:
        parts.locked = True
        parts.left_out.append("An encrypted part of the mail.")
    elif "content-location" in part and kind.startswith(_PAGE_PARTS):
        parts.left_out.append("Pictures and styles of the saved page.")
    elif kind == "message/rfc822":
        for message in _children(part):
            name = _name(part) or header(message, "subject") or "message"
            parts.files.append(File(name if name.lower().endswith(".eml") else f"{name}.eml", _bytes(message), kind))
    else:
        content_id = header(part, "content-id").strip("<> ")
        parts.files.append(File(_name(part), _content(part), kind, content_id))


def _name(part: Message) -> str:
    return parameter(part, "content-disposition", "filename") or parameter(part, "content-type", "name")


def _content(part: Message) -> bytes:
    content = part.get_payload(decode=True)
    return content if isinstance(content, bytes) else b""


def _bytes(message: Message) -> bytes:
    """Return a mail within the mail as it was sent."""
    return message.as_bytes(policy=compat32.clone(max_line_length=None, mangle_from_=False))
