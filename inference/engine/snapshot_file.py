"""The snapshot file: one sequence's state on disk, with all that decides whether it may be used.

Layout: magic, length of the header (uint32, little endian), header (JSON), token ids (int32, little endian), state
(see `portable`). The header holds the compatibility key, the counts and a CRC-32 over the rest, which finds a flipped
bit anywhere. All of it is checked before a byte reaches llama.cpp.
"""

from __future__ import annotations

import json
import os
import struct
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO

MAGIC = b"READAHEAD-KV-2\n"
_LENGTH = struct.Struct("<I")
_LARGEST_HEADER = 1 << 20


class BadSnapshot(Exception):
    """The file is not what it should be; the message says in which way."""


@dataclass(frozen=True)
class Header:
    """What a snapshot says of itself.

    `key` is the compatibility key; `tokens` and `state_bytes` are the sizes of what follows.
    """

    key: str
    tokens: int
    state_bytes: int
    crc: int


def write(path: Path, header: Header, tokens: Any, state: Any) -> None:
    """Write a snapshot (numpy int32 tokens, uint8 state) under a temporary name and rename it. Raises OSError.

    Mode 0600: a state holds the content of documents.
    """
    draft = path.with_suffix(".draft")
    encoded = json.dumps(asdict(header)).encode()
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(MAGIC + _LENGTH.pack(len(encoded)) + encoded)
            file.write(tokens.tobytes())
            file.write(memoryview(state))
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def checksum(key: str, tokens: Any, state: Any) -> int:
    """Return the CRC-32 over key, token ids and state."""
    return zlib.crc32(memoryview(state), zlib.crc32(key.encode() + tokens.tobytes()))


def read_head(path: Path) -> tuple[Header, Any]:
    """Return the header and the token ids (numpy int32) without touching the state. Raises BadSnapshot or OSError."""
    with path.open("rb") as file:
        header = _header(file)
        tokens = _tokens(file, header)
        if path.stat().st_size != file.tell() + header.state_bytes:
            raise BadSnapshot("its length is not what its header says")
    return header, tokens


def read(path: Path) -> tuple[Header, Any, Any]:
    """Return header, token ids and state (numpy uint8), verified by the checksum. Raises BadSnapshot or OSError.

    The state is mapped, not copied: filling hundreds of megabytes of fresh memory takes longer than all the rest of a
    restore. A mapped file stays readable after it has been deleted, and does not change when the array does.
    """
    import numpy as np

    header, tokens = read_head(path)
    if not header.state_bytes:
        raise BadSnapshot("it holds no state")
    start = path.stat().st_size - header.state_bytes
    try:
        state = np.memmap(path, dtype=np.uint8, mode="c", offset=start, shape=(header.state_bytes,))
    except ValueError as error:  # it became shorter while we looked
        raise BadSnapshot("it is shorter than its header says") from error
    if checksum(header.key, tokens, state) != header.crc:
        raise BadSnapshot("its checksum is wrong")
    return header, tokens, state


def _header(file: BinaryIO) -> Header:
    if file.read(len(MAGIC)) != MAGIC:
        raise BadSnapshot("it does not begin as a snapshot does")
    try:
        (length,) = _LENGTH.unpack(file.read(_LENGTH.size))
        if length > _LARGEST_HEADER:
            raise BadSnapshot("its header is impossibly long")
        header = Header(**json.loads(file.read(length)))
    except (struct.error, ValueError, TypeError) as error:
        raise BadSnapshot("its header cannot be read") from error
    if not all(isinstance(n, int) and n >= 0 for n in (header.tokens, header.state_bytes, header.crc)):
        raise BadSnapshot("its header holds impossible numbers")
    return header


def _tokens(file: BinaryIO, header: Header) -> Any:
    import numpy as np

    data = file.read(4 * header.tokens)
    if len(data) != 4 * header.tokens:
        raise BadSnapshot("it is shorter than its header says")
    return np.frombuffer(data, dtype="<i4")
