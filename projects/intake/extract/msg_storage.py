"""Reads the properties of Outlook's messages out of Microsoft's compound format (MS-OXMSG)."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from projects.intake.extract.decoding import Decoded, decode_as

UNICODE, ANSI, BINARY, STORAGE = "001f", "001e", "0102", "000d"

_ROW = struct.Struct("<HHI8s")
_CODE_PAGES = {65001: "utf-8", 20127: "ascii", 20866: "koi8-r", 21866: "koi8-u", 51932: "euc_jp", 50220: "iso-2022-jp"}
_ISO_8859 = 28590
_MESSAGE_CODE_PAGE, _INTERNET_CODE_PAGE = 0x3FFD, 0x3FDE
_BEGIN_OF_TIME = datetime(1601, 1, 1, tzinfo=UTC)


class Storage:
    """The properties at one place of a message file: of the message, a recipient, an attachment or a message within."""

    def __init__(self, container: Any, place: tuple[str, ...] = (), header: int = 32, code_page: str = "") -> None:
        self._container = container
        self._place = place
        entries = [tuple(entry) for entry in container.listdir(streams=True, storages=True)]
        depth = len(place)
        self._names = {
            entry[depth].lower(): entry[depth]
            for entry in entries
            if len(entry) == depth + 1 and entry[:depth] == place
        }
        self._fixed = self._rows(header)
        self._code_page = self._declared(_MESSAGE_CODE_PAGE) or code_page

    def text(self, *properties: int) -> Decoded:
        """Return the first of these properties that is there as text, empty if none is."""
        for number in properties:
            if (content := self._stream(number, UNICODE)) is not None:
                text = content.decode("utf-16-le", "replace")
                return Decoded(text, "utf-16-le", text.count("\ufffd"))
            if (content := self._stream(number, ANSI)) is not None:
                return decode_as(content, self._code_page)
        return Decoded("", "", 0)

    def binary(self, number: int) -> bytes | None:
        """Return a property of bytes, None if it is not there."""
        return self._stream(number, BINARY)

    def number(self, number: int) -> int | None:
        """Return a property of a whole number or a truth value."""
        value = self._fixed.get(number)
        return None if value is None else int(struct.unpack("<i", value[:4])[0])

    def time(self, *properties: int) -> datetime | None:
        """Return the first of these properties that is there as a moment."""
        for value in (self._fixed[number] for number in properties if number in self._fixed):
            ticks = struct.unpack("<Q", value)[0]  # of 100 nanoseconds
            try:
                return _BEGIN_OF_TIME + timedelta(microseconds=ticks // 10)
            except OverflowError:
                continue
        return None

    def page_encoding(self) -> str:
        """Return in which encoding a page among the properties is."""
        return self._declared(_INTERNET_CODE_PAGE)

    def parts(self, kind: str) -> Iterator[Storage]:
        """Yield the recipients ('recip') or attachments ('attach') in order."""
        for name in sorted(name for name in self._names if name.startswith(f"__{kind}_version1.0_#")):
            yield self._below(name, header=8)

    def message(self, number: int) -> Storage | None:
        """Return the message that a property of an attachment holds."""
        name = f"__substg1.0_{number:04x}{STORAGE}"
        if name not in self._names:
            return None
        below = self._below(name, header=24)
        return below if "__properties_version1.0" in below._names else None

    def _below(self, name: str, header: int) -> Storage:
        return Storage(self._container, (*self._place, self._names[name]), header, self._code_page)

    def _stream(self, number: int, kind: str) -> bytes | None:
        return self._read(f"__substg1.0_{number:04x}{kind}")

    def _read(self, name: str) -> bytes | None:
        if name not in self._names:
            return None
        path = [*self._place, self._names[name]]
        content: bytes = self._container.openstream(path).read()
        if len(content) < self._container.get_size(path):
            raise OSError(f"the file was cut off within {name}")
        return content

    def _rows(self, header: int) -> Mapping[int, bytes]:
        content = (self._read("__properties_version1.0") or b"")[header:]
        whole = content[: len(content) // _ROW.size * _ROW.size]
        return {number: value for _, number, _, value in _ROW.iter_unpack(whole)}

    def _declared(self, number: int) -> str:
        code_page = self.number(number)
        if not code_page:
            return ""
        if _ISO_8859 < code_page <= _ISO_8859 + 15:
            return f"iso-8859-{code_page - _ISO_8859}"
        return _CODE_PAGES.get(code_page, f"cp{code_page}")
