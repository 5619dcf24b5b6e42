"""Turning the bytes of a text file into text."""

from __future__ import annotations

import codecs
import unicodedata
from dataclasses import dataclass

SAMPLE = 32 * 1024
"""Bytes that are guessed from; guessing costs a pass over the sample for each candidate."""

WHOLE_LETTERS = 3
"""Letters beyond ASCII for each broken one in what counts as damaged UTF-8."""

# The longer mark first: that of UTF-32-LE begins with that of UTF-16-LE.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CANDIDATES = [
    "cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "koi8_r",
    "mac_roman", "shift_jis", "euc_jp", "gb18030", "big5", "euc_kr",
]  # fmt: skip
_SEVEN_BIT = frozenset({"iso2022_jp", "iso2022_jp_2", "iso2022_kr", "hz", "utf-7"})
_MEANT = {
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "euc_kr": "cp949",
    "shift_jis": "cp932",
}
"""Programs that declare the first of these write the second, which holds all of it and more."""
_TEXT_CONTROLS = frozenset(b"\t\n\r\f\x1b")
_SHORT = 512
"""Bytes below which a share of them says little: two stray ones are a lot of a line."""
_WESTERN_SIGNS = frozenset("€‚„…†‡‰‹‘’“”•–—™› §©«»°±²³´·¹º½¼¾¿¡£¥®ª×÷")


@dataclass(frozen=True)
class Decoded:
    """The text of a file, the encoding it was read in, and how many characters of it are replacements."""

    text: str
    encoding: str
    replaced: int

    @property
    def warnings(self) -> tuple[str, ...]:
        """Say what was lost, for a person."""
        if not self.replaced:
            return ()
        some = "1 character" if self.replaced == 1 else f"{self.replaced:,} characters"
        return (f"{some} could not be read in the encoding {self.encoding}.",)


def decode(content: bytes) -> Decoded:
    """Decode by byte order mark, as UTF-16 without a mark, as UTF-8 or in the likeliest 8-bit encoding; never fails."""
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return _lenient(content, encoding)
    if byte_order := _utf16_without_mark(content):  # in ASCII alone it would be UTF-8 full of NULs
        return _lenient(content, byte_order)
    as_utf8 = _lenient(content, "utf-8")
    if _fits(as_utf8):
        return as_utf8
    return _lenient(content, _legacy(content))


def decode_as(content: bytes, declared: str) -> Decoded:
    """Decode bytes that came with the name of an encoding, which may be wrong, unknown or empty; never fails.

    A byte order mark counts first. What is valid UTF-8 is hardly ever anything else, whatever was declared, unless it
    is made of ASCII alone, as ISO-2022-JP is.
    """
    name = _codec(declared)
    if any(content.startswith(mark) for mark, _ in _MARKS):
        return decode(content)
    if not name or name.startswith("utf-8"):
        return decode(content)
    if content.isascii() and name in _SEVEN_BIT:
        return _lenient(content, name)
    as_utf8 = _lenient(content, "utf-8")
    return as_utf8 if _fits(as_utf8) else _lenient(content, name)


def _codec(declared: str) -> str:
    """Return the codec for a declared encoding as mails and pages mean it; empty for one that is not known.

    What can be read byte by byte to find its declaration is not in UTF-16.
    """
    try:
        name = codecs.lookup(declared.lower().removeprefix("x-").removesuffix("-i")).name
        "".encode(name)  # some codecs do not work on text
    except (LookupError, ValueError):
        return ""
    return "" if name.startswith(("utf-16", "utf-32")) else _MEANT.get(name, name)


def decode_beginning(head: bytes) -> str:
    """Decode the beginning of a file, which may end within a character."""
    try:
        return codecs.getincrementaldecoder("utf-8-sig")().decode(head)
    except UnicodeDecodeError:
        return decode(head).text


def looks_like_text(head: bytes) -> bool:
    """Tell whether the beginning of a file is text in any encoding that `decode` knows, rather than binary data."""
    if any(head.startswith(mark) for mark, _ in _MARKS) or _utf16_without_mark(head):
        return True
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return controls <= (0.25 if len(head) < _SHORT and _is_utf8(head) else 0.05) * len(head)


def _lenient(content: bytes, encoding: str) -> Decoded:
    text = content.decode(encoding, errors="replace")
    return Decoded(text, encoding, text.count("\ufffd"))


def _fits(decoded: Decoded) -> bool:
    """Tell whether bytes are UTF-8, if need be with a few broken letters: other encodings form hardly any by chance."""
    if not decoded.replaced:
        return True
    letters = len(decoded.text) - len(decoded.text.encode("ascii", "ignore")) - decoded.replaced
    return letters >= WHOLE_LETTERS * decoded.replaced


def _is_utf8(content: bytes) -> bool:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _utf16_without_mark(content: bytes) -> str:
    """Return the byte order of UTF-16 text: in most scripts its high bytes are mostly zero."""
    sample = content[:SAMPLE]
    half = len(sample) // 2
    if half < 2 or len(content) % 2:
        return ""
    if sample[1::2].count(0) > 0.4 * half and sample[0::2].count(0) < 0.05 * half:
        return "utf-16-le"
    if sample[0::2].count(0) > 0.4 * half and sample[1::2].count(0) < 0.05 * half:
        return "utf-16-be"
    return ""


def _legacy(content: bytes) -> str:
    """Return the likeliest 8-bit or East Asian encoding, judged by the lines that are not plain ASCII."""
    lines = [line for line in content.splitlines(keepends=True) if not line.isascii()]
    sample = b"".join(lines)[:SAMPLE]
    if _reads_as_western(sample):
        return "cp1252"
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=_CANDIDATES).best()
    return best.encoding if best else "cp1252"


def _reads_as_western(sample: bytes) -> bool:
    """Tell whether cp1252 gives few special characters, each a Latin letter or a common sign.

    In short texts a statistical guess is worse than this: the one 'ü' of a price list fits dozens of encodings.
    """
    special = [character for character in sample.decode("cp1252", errors="replace") if not character.isascii()]
    letters = sum(unicodedata.name(character, "").startswith("LATIN SMALL") for character in special)
    odd = sum(not character.isalpha() and character not in _WESTERN_SIGNS for character in special)
    return len(special) < 0.25 * len(sample) and odd <= 0.02 * len(special) + 1 and letters >= 0.5 * len(special)
