"""Names the kinds of files that hold no text for reading, by the bytes that they begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator

_KINDS: tuple[tuple[bytes, str], ...] = (
    (rb"GIF8[79]a", "a GIF picture"),
    (rb"BM.{4}\0\0\0\0", "a BMP picture"),
    (rb"RIFF.{4}WEBP", "a WebP picture"),
    (rb".{4}ftyp(?:heic|heix|mif1|msf1|avif)", "a HEIC or AVIF picture. Save it as JPEG and add it again"),
    (rb"8BPS\0", "a Photoshop picture"),
    (rb"\0\0\0\x0cjP  ", "a JPEG 2000 picture"),
    (rb"AT&TFORM", "a DjVu document. Save it as PDF and add it again"),
    (rb"%!PS-Adobe-", "a PostScript file. Save it as PDF and add it again"),
    (rb"\xffWPC", "a WordPerfect document. Save it as PDF or .docx and add it again"),
    (rb"x\x9f>\"", "a packed attachment of Outlook (winmail.dat). Save the mail as .msg or .eml and add that"),
    (rb"!BDN", "an Outlook data file. Save its mails one by one and add those"),
    (rb"\x1f\x8b", "a gzip archive. Unpack it and add its files"),
    (rb"BZh[1-9]1AY", "a bzip2 archive. Unpack it and add its files"),
    (rb"\xfd7zXZ\0", "an XZ archive. Unpack it and add its files"),
    (rb"\x28\xb5\x2f\xfd", "a Zstandard archive. Unpack it and add its files"),
    (rb"7z\xbc\xaf\x27\x1c", "a 7-Zip archive. Unpack it and add its files"),
    (rb"Rar!\x1a\x07", "a RAR archive. Unpack it and add its files"),
    (rb".{257}ustar", "a tar archive. Unpack it and add its files"),
    (rb"MSCF\0\0\0\0", "a cabinet archive. Unpack it and add its files"),
    (rb"ID3[\x02-\x04]", "a sound file"),
    (rb"\xff[\xf2\xf3\xfa\xfb][\x10-\xef]", "a sound file"),
    (rb"RIFF.{4}WAVE", "a sound file"),
    (rb"OggS\0", "a sound file"),
    (rb"fLaC\0", "a sound file"),
    (rb".{4}ftypM4A", "a sound file"),
    (rb".{4}ftyp", "a film"),
    (rb"RIFF.{4}AVI ", "a film"),
    (rb"\x1aE\xdf\xa3", "a film"),
    (rb"\x7fELF", "a program"),
    (rb"(?:\xfe\xed\xfa[\xce\xcf]|[\xce\xcf]\xfa\xed\xfe|\xca\xfe\xba\xbe)", "a program"),
    (rb"MZ", "a program"),
    (rb"L\0\0\0\x01\x14\x02\0", "a shortcut to a file. Add the file itself"),
    (rb"SQLite format 3\0", "an SQLite database"),
    (rb"\0\x01\0\0Standard (?:Jet|ACE) DB", "an Access database"),
    (rb"PAR1", "a Parquet table"),
    (rb"GGUF", "a language model"),
    (rb"OTTO\0|\0\x01\0\0\0|wOF[F2]", "a font"),
)
_PATTERNS = tuple((re.compile(pattern, re.DOTALL), kind) for pattern, kind in _KINDS)
_UNLIKE_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f\x80-\xff]|\A%!PS-Adobe-")


def unreadable_kind(head: bytes, is_text: bool) -> str:
    """Return what a file is that begins with `head`, with its article; empty if its kind is not known.

    Signatures made of letters begin a text as well ('MZ Motorrad'): in a file that is text they count for nothing.
    """
    return next((kind for start, kind in _matches(head) if not is_text or _UNLIKE_TEXT.search(start)), "")


def _matches(head: bytes) -> Iterator[tuple[bytes, str]]:
    for pattern, kind in _PATTERNS:
        match = pattern.match(head)
        if match:
            yield match.group(), kind
