"""Turns the bytes of an RTF document into control words and Unicode text."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import NamedTuple

from projects.intake.extract.rtf_words import CHARACTERS, CODE_PAGES, DOCUMENT_CODE_PAGES, ESCAPED, SYMBOLS

_TOKEN = re.compile(
    rb"\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<hex>[0-9a-fA-F]{2})|\\(?P<symbol>.)"
    rb"|(?P<brace>[{}])|(?P<end>[\r\n\x00]+)|(?P<text>[^\\{}\r\n\x00]+)",
    re.DOTALL,
)
_BMP = 0x10000
_SYMBOL_BULLET, _BULLET = "\uf0b7", "•"
"""The bullet of lists in the font Symbol, which lies where Unicode has no characters."""


class Word(NamedTuple):
    """A control word; braces are words too. Who does not know a `marked` one skips its group."""

    name: str
    number: int | None = None
    marked: bool = False


@dataclass
class _State:
    """What holds within a group."""

    codec: str
    unicode_skip: int = 1
    is_font_table: bool = False


class Decoder:
    """Decodes one document; `replaced` counts characters that its code pages do not have."""

    def __init__(self) -> None:
        self.replaced = 0
        self._state = _State("cp1252")
        self._outer: list[_State] = []
        self._bytes = bytearray()  # waiting for more: a letter may be made of two, written in different ways
        self._to_skip = 0  # of what stands for the last letter in programs without Unicode
        self._marked = False
        self._document_codec = "cp1252"
        self._default_font = -1
        self._declared_font = -1
        self._fonts: dict[int, str] = {}

    def events(self, content: bytes) -> Iterator[Word | str]:
        """Yield words and text in their order."""
        position = 0
        while (match := _TOKEN.match(content, position)) is not None:
            position = match.end()
            if match["word"] is None:
                yield from self._other(match)
                continue
            word, number = match["word"].decode("ascii"), int(match["number"]) if match["number"] else None
            if word == "bin":  # raw bytes follow, braces among them
                position += max(number or 0, 0)
            elif self._to_skip:
                self._to_skip -= 1
            else:
                yield from self._word(word, number)
        yield from self._decoded()

    def _other(self, match: re.Match[bytes]) -> Iterator[Word | str]:
        if match["text"]:
            skipped = min(self._to_skip, len(match["text"]))
            self._to_skip -= skipped
            self._bytes += match["text"][skipped:]
        elif match["brace"]:
            yield from self._brace(match["brace"] == b"{")
        elif not match["end"]:
            yield from self._character(match)

    def _brace(self, begins: bool) -> Iterator[Word | str]:
        yield from self._decoded()
        self._to_skip = 0
        if begins:
            self._outer.append(replace(self._state))
        elif self._outer:
            self._state = self._outer.pop()
        yield Word("{" if begins else "}")

    def _character(self, match: re.Match[bytes]) -> Iterator[Word | str]:
        symbol = (match["symbol"] or b"").decode("latin-1")
        if symbol == "*":
            self._marked = True
        elif self._to_skip:
            self._to_skip -= 1
        elif match["hex"]:
            self._bytes += bytes.fromhex(match["hex"].decode("ascii"))
        elif symbol in ESCAPED:
            self._bytes += symbol.encode("ascii")
        else:
            yield from self._decoded()
            yield Word("par") if symbol in "\r\n" else SYMBOLS.get(symbol, "")

    def _word(self, word: str, number: int | None) -> Iterator[Word | str]:
        yield from self._decoded()
        marked, self._marked = self._marked, False
        if word == "u":
            self._to_skip = self._state.unicode_skip
            yield _letter(number or 0)
        elif word in CHARACTERS:
            yield CHARACTERS[word]
        else:
            self._note(word, number)
            yield Word(word, number, marked)

    def _note(self, word: str, number: int | None) -> None:
        """Keep what a word says about how text is encoded."""
        match word, number:
            case "uc", int():
                self._state.unicode_skip = max(number, 0)
            case "fonttbl", _:
                self._state.is_font_table = True
            case "f", int() if self._state.is_font_table:
                self._declared_font = number
            case "f", int():
                self._state.codec = self._fonts.get(number, self._document_codec)
            case (("fcharset" | "cpg"), int()):
                self._declare_font(CODE_PAGES.get(number, "") if word == "fcharset" else f"cp{number}")
            case "deff", int():
                self._default_font = number
            case "plain", _:
                self._state.codec = self._fonts.get(self._default_font, self._document_codec)
            case (("ansi" | "mac" | "pc" | "pca"), _):
                self._set_document_codec(DOCUMENT_CODE_PAGES[word])
            case "ansicpg", int():
                self._set_document_codec(f"cp{number}")

    def _declare_font(self, codec: str) -> None:
        if self._state.is_font_table and _is_known(codec):
            self._fonts[self._declared_font] = codec

    def _set_document_codec(self, codec: str) -> None:
        if _is_known(codec):
            self._document_codec = self._state.codec = codec

    def _decoded(self) -> Iterator[str]:
        if self._bytes:
            text = self._bytes.decode(self._state.codec, "replace")
            self._bytes.clear()
            self.replaced += text.count("\ufffd")
            yield text


def _letter(number: int) -> str:
    """Return the letter of a number, which is written as negative from 32,768 on; those of emoji come in two halves."""
    letter = chr(number % _BMP)
    return _BULLET if letter == _SYMBOL_BULLET else letter


def _is_known(codec: str) -> bool:
    with suppress(LookupError):
        return bool(codec and codecs.lookup(codec))
    return False
