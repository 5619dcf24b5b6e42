"""Builds files in Microsoft's compound format, which old office files and Outlook messages are kept in."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

SECTOR, SMALL, CUTOFF = 512, 64, 4096
FREE, END, FAT = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD
ROOT, STORAGE, STREAM = 5, 1, 2


@dataclass
class _Entry:
    name: str
    kind: int
    content: bytes = b""
    children: list[int] = field(default_factory=list)
    sibling: int = FREE
    start: int = END


def compound(streams: Mapping[str, bytes]) -> bytes:
    """Return a compound file with these streams; '/' in a name parts storages."""
    entries = _tree(streams)
    small = bytearray()
    for entry in entries[1:]:
        if entry.kind == STREAM and 0 < len(entry.content) < CUTOFF:
            entry.start = len(small) // SMALL
            small += _padded(entry.content, SMALL)
    entries[0].content = bytes(small)
    return _file(entries)


def _tree(streams: Mapping[str, bytes]) -> list[_Entry]:
    entries = [_Entry("Root Entry", ROOT)]
    known = {"": 0}
    for path, content in streams.items():
        parts = path.split("/")
        for depth in range(1, len(parts) + 1):
            here, above = "/".join(parts[:depth]), "/".join(parts[: depth - 1])
            if here not in known:
                last = depth == len(parts)
                known[here] = len(entries)
                entries.append(_Entry(parts[depth - 1], STREAM if last else STORAGE, content if last else b""))
                entries[known[above]].children.append(known[here])
    for entry in entries:
        for child, following in zip(entry.children, entry.children[1:], strict=False):
            entries[child].sibling = following
    return entries


def _file(entries: list[_Entry]) -> bytes:
    """Lay the parts out: allocation table, directory, small streams' table and content, large streams."""
    small_chains: list[int] = []
    for entry in entries[1:]:
        if entry.start != END:
            small_chains += _chain(len(small_chains), -(-len(entry.content) // SMALL))
    large = [entry for entry in entries if entry.content and entry.start == END]
    sizes = [_sectors(len(entries) * 128), _sectors(len(small_chains) * 4), *(_sectors(len(e.content)) for e in large)]
    tables = 1
    while tables * 128 < tables + sum(sizes):
        tables += 1
    table, starts = [FAT] * tables, []
    for size in sizes:
        starts.append(len(table))
        table += _chain(len(table), size)
    for entry, start in zip(large, starts[2:], strict=True):
        entry.start = start
    body = [_numbers(table, tables * 128), b"".join(map(_row, entries)), _numbers(small_chains)]
    body += [entry.content for entry in large]
    first_small = starts[1] if small_chains else END
    return _header(tables, starts[0], first_small, sizes[1]) + b"".join(_padded(part, SECTOR) for part in body)


def _header(tables: int, directory: int, first_small: int, small_tables: int) -> bytes:
    fixed = struct.pack("<8s16x5H6x", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", 0x3E, 3, 0xFFFE, 9, 6)
    places = (0, tables, directory, 0, CUTOFF, first_small, small_tables, END, 0)
    return fixed + struct.pack("<9I", *places) + _numbers(list(range(tables)), 109)


def _row(entry: _Entry) -> bytes:
    name = (entry.name + "\0").encode("utf-16-le")
    child = entry.children[0] if entry.children else FREE
    links = struct.pack("<64sHBBIII", name, len(name), entry.kind, 1, FREE, entry.sibling, child)
    return links + struct.pack("<16x4x16xIQ", entry.start, len(entry.content))


def _chain(first: int, count: int) -> list[int]:
    return [*range(first + 1, first + count), END] if count else []


def _sectors(size: int) -> int:
    return -(-size // SECTOR)


def _padded(content: bytes, unit: int) -> bytes:
    return content + b"\0" * (-len(content) % unit)


def _numbers(values: list[int], count: int = 0) -> bytes:
    filled = values + [FREE] * ((count or len(values) + -len(values) % 128) - len(values))
    return struct.pack(f"<{len(filled)}I", *filled)
