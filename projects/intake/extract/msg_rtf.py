"""Unpacks the text that Outlook keeps packed in a message (MS-OXRTFCP)."""

from __future__ import annotations

import struct

_HEADER = struct.Struct("<II4sI")
_PACKED, _PLAIN = b"LZFu", b"MELA"
_WINDOW = 4096
_OPENING = (
    b"{\\rtf1\\ansi\\mac\\deff0\\deftab720{\\fonttbl;}{\\f0\\fnil \\froman \\fswiss \\fmodern \\fscript \\fdecor "
    b"MS Sans SerifSymbolArialTimes New RomanCourier{\\colortbl\\red0\\green0\\blue0\r\n\\par "
    b"\\pard\\plain\\f0\\fs20\\b\\i\\u\\tab\\tx"
)
"""What every packed text may refer to before it has any text of its own."""


def unpacked(content: bytes) -> bytes:
    """Return the RTF; what is cut off or packed otherwise gives what there is of it."""
    if len(content) < _HEADER.size:
        return b""
    _, size, kind, _ = _HEADER.unpack_from(content)
    body = content[_HEADER.size :]
    if kind == _PLAIN:
        return body[:size]
    return _decompressed(body)[:size] if kind == _PACKED else b""


def _decompressed(body: bytes) -> bytes:
    """Undo the packing: of eight steps each, a bit says whether it is a byte or a reference into the last 4,096."""
    text = bytearray(_OPENING)
    place = 0
    while place < len(body):
        flags = body[place]
        place += 1
        for bit in range(8):
            if place >= len(body):
                break
            if not flags >> bit & 1:
                text.append(body[place])
                place += 1
                continue
            if place + 2 > len(body):
                return bytes(text[len(_OPENING) :])
            reference = int.from_bytes(body[place : place + 2], "big")
            place += 2
            offset, length = reference >> 4, (reference & 0xF) + 2
            back = (len(text) - offset) % _WINDOW
            if back == 0 or back > len(text):  # a reference to the write position ends the text
                return bytes(text[len(_OPENING) :])
            for _ in range(length):
                text.append(text[-back])
    return bytes(text[len(_OPENING) :])
