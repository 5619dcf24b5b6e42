"""Reading the header of a GGUF file: what the model is, and where its tensors end."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

MAGIC = b"GGUF"
VERSIONS = (2, 3)
LONGEST_STRING = 1 << 24
"""Bytes; chat templates have some thousands. What claims to be longer is not text."""
KEPT_ARRAY = 4096
"""Elements; longer arrays (the vocabulary) are read over."""

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


class NotGguf(Exception):
    """The file is something else, or a GGUF that is damaged; the text is the cause as part of a sentence."""


class Cut(NotGguf):
    """The file ends within its header."""


@dataclass(frozen=True)
class Header:
    """Metadata (without long arrays) and the number of bytes that a whole file has at least.

    `end` is 0 when a tensor has a type that this version of the `gguf` package does not know.
    """

    metadata: Mapping[str, Any]
    end: int

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))

    def of_model(self, key: str, default: Any = None) -> Any:
        """Return the value of a key in the architecture's own space, such as `llama.block_count`."""
        return self.metadata.get(f"{self.architecture}.{key}", default)


def read_header(path: Path) -> Header:
    """Return the header of `path`. Raises NotGguf, and OSError when the file cannot be read."""
    with path.open("rb") as file:
        return _Reader(file).header()


class _Reader:
    def __init__(self, file: BinaryIO) -> None:
        from gguf import GGML_QUANT_SIZES

        self._file = file
        self._sizes = {int(kind): size for kind, size in GGML_QUANT_SIZES.items()}

    def header(self) -> Header:
        if self._file.read(len(MAGIC)) != MAGIC:
            raise NotGguf("is not a GGUF file, the only format that llama.cpp reads")
        version = self._number("I")
        if version not in VERSIONS:
            raise NotGguf(
                f"has version {version} of the GGUF format, and only {VERSIONS[0]} and {VERSIONS[1]} are known"
            )
        tensors, keys = self._number("Q"), self._number("Q")
        metadata = {}
        for _ in range(keys):
            name = self._string()
            metadata[name] = self._value(self._number("I"))
        ends = [self._tensor_end() for _ in range(tensors)]
        alignment = int(metadata.get("general.alignment") or 32)
        start = -(-self._file.tell() // alignment) * alignment
        return Header(metadata, start + max(ends) if ends and all(ends) else 0)

    def _tensor_end(self) -> int:
        """Return where a tensor ends, counted from the beginning of the tensors' part; 0 for an unknown type."""
        self._string()
        elements = 1
        for _ in range(self._number("I")):
            elements *= self._number("Q")
        kind, offset = self._number("I"), self._number("Q")
        if kind not in self._sizes:
            return 0
        block, size = self._sizes[kind]
        return int(offset + elements // block * size)

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind == _ARRAY:
            return self._array()
        if kind not in _SCALARS:
            raise NotGguf(f"is damaged: it holds a value of the unknown kind {kind}")
        return self._number(_SCALARS[kind])

    def _array(self) -> list[Any] | None:
        kind, length = self._number("I"), self._number("Q")
        if kind in _SCALARS and length > KEPT_ARRAY:
            self._skip(length * struct.calcsize(_SCALARS[kind]))
        elif kind == _STRING and length > KEPT_ARRAY:
            for _ in range(length):
                self._skip(self._number("Q"))
        else:
            return [self._value(kind) for _ in range(length)]
        return None

    def _string(self) -> str:
        length = self._number("Q")
        if length > LONGEST_STRING:
            raise NotGguf("is damaged: its header holds a text of impossible length")
        return self._bytes(length).decode("utf-8", "replace")

    def _number(self, kind: str) -> Any:
        return struct.unpack(f"<{kind}", self._bytes(struct.calcsize(kind)))[0]

    def _bytes(self, length: int) -> bytes:
        data = self._file.read(length)
        if len(data) < length:
            raise Cut("ends in the middle of its header")
        return data

    def _skip(self, length: int) -> None:
        if length > LONGEST_STRING:
            raise NotGguf("is damaged: its header holds a list of impossible length")
        self._file.seek(length, 1)  # past the end, the next read notices
