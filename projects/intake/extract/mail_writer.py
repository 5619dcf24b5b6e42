"""Writes a mail in the form in which mails are sent, for one that was kept within another in another form."""

from __future__ import annotations

from datetime import datetime
from email import message_from_bytes
from email.encoders import encode_base64
from email.header import Header
from email.message import Message
from email.mime.base import MIMEBase
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from email.utils import format_datetime

from projects.intake.extract.mail import File, Letter


def sent_form(letter: Letter) -> bytes:
    """Return a mail that the reader of mails reads as this one."""
    mail = MIMEMultipart("mixed")
    date = format_datetime(letter.date) if isinstance(letter.date, datetime) else letter.date
    named = {
        "From": letter.sender,
        "To": letter.to,
        "Cc": letter.cc,
        "Bcc": letter.bcc,
        "Date": date,
        "Subject": letter.subject,
        "Message-ID": "<>",
    }
    for name, value in named.items():
        if value:
            mail[name] = Header(
                " ".join(value.split()), "utf-8" if not value.isascii() else "us-ascii", 10_000
            ).encode()
    for body in letter.bodies:
        forms = MIMEMultipart("alternative")
        for text, subtype in ((body.plain, "plain"), (body.html, "html")):
            if text:
                forms.attach(MIMEText(text, subtype, "utf-8"))
        mail.attach(forms)
    for file in letter.files:
        mail.attach(_attachment(file))
    return mail.as_bytes()


def _attachment(file: File) -> Message:
    if file.media_type == "message/rfc822":
        part: Message = MIMEMessage(message_from_bytes(file.content))
    else:
        main, _, sub = file.media_type.partition("/")
        part = MIMEBase(main or "application", sub or "octet-stream")
        part.set_payload(file.content)
        encode_base64(part)
    part.add_header("Content-Disposition", "attachment", filename=("utf-8", "", file.name))
    if file.content_id:
        part.add_header("Content-ID", f"<{file.content_id}>")
    return part
