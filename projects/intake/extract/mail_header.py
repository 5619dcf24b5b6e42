"""Reads the header lines of mails as they arrive: folded, encoded, in bytes that no standard allows."""

from __future__ import annotations

import binascii
import re
from collections.abc import Iterator
from datetime import datetime
from email.message import Message
from email.utils import collapse_rfc2231_value, parsedate_to_datetime

from projects.intake.extract.decoding import decode, decode_as

_FOLD = re.compile(r"[\r\n]+[ \t]*")
_WORD = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=", re.IGNORECASE)
_BETWEEN_WORDS = re.compile(r"(?<=\?=)\s+(?==\?)")


def header(message: Message, name: str) -> str:
    """Return the text of a header line, of several of its name joined by commas; empty if there is none.

    The library's own parsing raises errors of many kinds on broken headers, so the lines are taken raw.
    """
    return ", ".join(_decoded(value) for found, value in message.raw_items() if found.lower() == name)


def parameter(message: Message, header_name: str, name: str) -> str:
    """Return a parameter of a header line, a file's name for example; empty if there is none."""
    lone = Message()
    lone[header_name] = _unfolded(next((value for key, value in message.raw_items() if key.lower() == header_name), ""))
    value = lone.get_param(name, "", header=header_name)
    return decode_words(collapse_rfc2231_value(value, errors="replace"))


def date_of(text: str) -> datetime | str:
    """Return a date as mails write it; the text itself where it is none."""
    try:
        return parsedate_to_datetime(text)
    except (ValueError, TypeError, OverflowError, IndexError):
        return text


def decode_words(text: str) -> str:
    """Decode the encoded words in a text; what cannot be decoded stays.

    Neighbouring words in one encoding are decoded as one, since programs cut them within a letter.
    """
    joined = _BETWEEN_WORDS.sub("", text)
    return "".join(_decoded_stretches(joined))


def _decoded_stretches(text: str) -> Iterator[str]:
    charset, content, end = "", b"", 0
    for match in _WORD.finditer(text):
        data = _bytes(match.group(2).lower(), match.group(3))
        if data is None:
            continue
        between = text[end : match.start()]
        if between or match.group(1).lower() != charset:
            yield decode_as(content, charset).text + between
            charset, content = match.group(1).lower(), b""
        content += data
        end = match.end()
    yield decode_as(content, charset).text + text[end:]


def _bytes(encoding: str, payload: str) -> bytes | None:
    if not payload.isascii():
        return None
    if encoding == "q":
        return binascii.a2b_qp(payload.encode("ascii"), header=True)
    try:
        return binascii.a2b_base64(payload + "=" * (-len(payload) % 4))
    except binascii.Error:
        return None


def _decoded(raw: str) -> str:
    return decode_words(_unfolded(raw))


def _unfolded(raw: str) -> str:
    """Return a line in one piece; bytes beyond ASCII, kept by the parser as lone surrogates, become letters."""
    if not raw.isascii():
        raw = decode(raw.encode("utf-8", "surrogateescape")).text
    return _FOLD.sub(" ", raw).strip()
