"""Reads messages as Outlook keeps them (.msg)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from datetime import datetime
from email import message_from_string
from pathlib import Path
from tempfile import TemporaryDirectory

from projects.intake.extract.base import Context, Extraction, ExtractionError
from projects.intake.extract.html_blocks import decode_markup
from projects.intake.extract.mail import Body, File, Letter, extraction_of
from projects.intake.extract.mail_header import date_of, header
from projects.intake.extract.mail_writer import sent_form
from projects.intake.extract.msg_rtf import unpacked
from projects.intake.extract.msg_storage import Storage
from projects.intake.extract.sniff import MSG

MOST_LEVELS = 20
"""Of messages within messages."""
DAMAGED = "The Outlook message is damaged or incomplete: it does not open."

# Properties of MS-OXPROPS, by what they are called there without 'PidTag'.
_SUBJECT, _HEADERS, _BODY, _HTML, _RTF = 0x0037, 0x007D, 0x1000, 0x1013, 0x1009
_SENDER_NAME, _SENDER_ADDRESS, _SENDER_SMTP, _SENT_NAME, _SENT_SMTP = 0x0C1A, 0x0C1F, 0x5D01, 0x0042, 0x5D02
_DISPLAY_TO, _DISPLAY_CC, _DISPLAY_BCC = 0x0E04, 0x0E03, 0x0E02
_SUBMITTED, _DELIVERED, _CREATED = 0x0039, 0x0E06, 0x3007
_NAME, _ADDRESS, _SMTP, _RECIPIENT_TYPE = 0x3001, 0x3003, 0x39FE, 0x0C15
_FILE, _LONG_NAME, _SHORT_NAME, _MIME, _CONTENT_ID = 0x3701, 0x3707, 0x3704, 0x370E, 0x3712
_TO, _CC, _BCC = 1, 2, 3


def extract(path: Path, context: Context) -> Extraction:
    """Read a message; files and messages that came with it are attachments."""
    import olefile

    try:
        with olefile.OleFileIO(str(path)) as container:
            letter = _letter(Storage(container), context, 0)
    # olefile raises OSErrors of its own, the others come from reading what is not there.
    except (OSError, ValueError, IndexError, KeyError, struct.error) as error:
        raise ExtractionError(DAMAGED) from error
    return extraction_of(MSG, [letter], context)


def _letter(message: Storage, context: Context, level: int) -> Letter:
    left_out: list[str] = []
    body, replaced = _body(message, context)
    return Letter(
        sender=_person(message.text(_SENDER_NAME, _SENT_NAME).text, _sender_address(message)),
        to=_recipients(message, _TO) or message.text(_DISPLAY_TO).text,
        cc=_recipients(message, _CC) or message.text(_DISPLAY_CC).text,
        bcc=_recipients(message, _BCC) or message.text(_DISPLAY_BCC).text,
        date=_date(message),
        subject=message.text(_SUBJECT).text,
        bodies=(body,),
        files=tuple(_files(message.parts("attach"), context, level, left_out)),
        left_out=tuple(left_out),
        replaced=replaced,
    )


def _body(message: Storage, context: Context) -> tuple[Body, int]:
    """Return the text in the forms that the message keeps, and how many characters of it were lost."""
    plain = message.text(_BODY)
    html = message.text(_HTML)
    if content := message.binary(_HTML):
        html = decode_markup(content, message.page_encoding())
    if plain.text.strip() or html.text.strip():
        return Body(plain.text, html.text), plain.replaced + html.replaced
    packed = message.binary(_RTF)
    return Body(_text_of_rtf(unpacked(packed), context) if packed else ""), 0


def _text_of_rtf(content: bytes, context: Context) -> str:
    from projects.intake.extract.rtf import extract as read_rtf

    with TemporaryDirectory(prefix="readahead-", dir=context.folder) as folder:
        path = Path(folder) / "body"
        path.write_bytes(content)
        return "\n\n".join(block.text for block in read_rtf(path, Context()).blocks)


def _sender_address(message: Storage) -> str:
    return message.text(_SENDER_SMTP, _SENT_SMTP).text or message.text(_SENDER_ADDRESS).text


def _recipients(message: Storage, kind: int) -> str:
    people = (
        _person(recipient.text(_NAME).text, recipient.text(_SMTP, _ADDRESS).text)
        for recipient in message.parts("recip")
        if (recipient.number(_RECIPIENT_TYPE) or _TO) & 0xF == kind
    )
    return ", ".join(filter(None, people))


def _person(name: str, address: str) -> str:
    """Return a person as mails name them; addresses within Exchange mean nothing outside of it."""
    name, address = name.strip("\0 '\""), address.strip("\0 ")
    if "@" not in address or address == name:
        return name
    return f"{name} <{address}>" if name else address


def _date(message: Storage) -> datetime | str:
    """Return when the message was sent: by its header, in the sender's time of day, else as Outlook noted it."""
    said = header(message_from_string(message.text(_HEADERS).text), "date")
    sent = date_of(said) if said else ""
    if isinstance(sent, datetime):
        return sent
    return message.time(_SUBMITTED, _DELIVERED, _CREATED) or sent


def _files(parts: Iterable[Storage], context: Context, level: int, left_out: list[str]) -> Iterator[File]:
    for part in parts:
        name = part.text(_LONG_NAME, _SHORT_NAME, _NAME).text.strip("\0 ")
        content = part.binary(_FILE)
        inner = part.message(_FILE)
        if content is not None:
            media_type = part.text(_MIME).text.strip("\0 ").lower() or "application/octet-stream"
            if media_type.startswith("multipart/"):  # a signed message: what was signed is a mail without header
                name += ".eml"
            yield File(name, content, media_type, part.text(_CONTENT_ID).text.strip("\0<> "))
        elif inner is not None and level < MOST_LEVELS:
            letter = _letter(inner, context, level + 1)
            yield File(f"{name or letter.subject or 'message'}.eml", sent_form(letter), "message/rfc822")
        else:
            left_out.append(f"The attachment {name}: it is a part of another program's document or only a link.")
