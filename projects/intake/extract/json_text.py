"""Reads JSON and lines of JSON: a line for each value under its path, lists of like records as tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Block, Context, Extraction, Report, clean
from projects.intake.extract.plain import paragraphs, read_text
from projects.intake.extract.rows import table_blocks
from projects.intake.extract.sniff import JSON

MAX_PATH = 200
"""Characters of a path that are shown, its end: in deep files paths would be longer than all values together."""
BLOCK_LIMIT = 800
"""Characters of the lines that are kept together."""
SHORT = 40
"""Characters of a value that may stand on one line with its neighbours in a list."""

INVALID = "The file is no valid JSON and was read as plain text."


class _Object(tuple[tuple[str, Any], ...]):
    """A JSON object with its keys in order, twofold ones included."""

    __slots__ = ()


def extract(path: Path, context: Context) -> Extraction:
    """Read JSON; keys are kept and numbers stay as written. What is no JSON is read as text, with a warning."""
    decoded = read_text(path)
    found = _Found()
    try:
        values = _values(decoded.text)
    except (ValueError, RecursionError):
        report = Report(replaced=decoded.replaced)
        blocks = tuple(paragraphs(decoded.text))
        return Extraction(JSON, blocks, warnings=(INVALID, *decoded.warnings), report=report)
    found.read(values[0] if len(values) == 1 else values)
    report = Report(replaced=decoded.replaced, tables=found.tables)
    return Extraction(JSON, tuple(found.blocks), warnings=decoded.warnings, report=report)


def _values(text: str) -> list[Any]:
    """Return the values in a text, one or many with white space between; raises ValueError for anything else."""
    # Not strict: strings may hold line ends, which some programs write, and which cleaning makes of others.
    decoder = json.JSONDecoder(
        object_pairs_hook=_Object, parse_int=str, parse_float=str, parse_constant=str, strict=False
    )
    values = []
    place = 0
    while (place := _next(text, place)) < len(text):
        value, place = decoder.raw_decode(text, place)
        values.append(value)
    return values


def _next(text: str, place: int) -> int:
    while place < len(text) and text[place].isspace():
        place += 1
    return place


@dataclass
class _Found:
    """The blocks of a file while it is gone through; `record` is the list item that the open lines belong to."""

    blocks: list[Block] = field(default_factory=list)
    tables: int = 0
    lines: list[str] = field(default_factory=list)
    size: int = 0
    record: str = ""

    def read(self, whole: Any) -> None:
        """Go through all values in order; from one to the next instead of calling itself, since files nest deeply."""
        waiting: list[tuple[str, str, Any]] = [("", "", whole)]
        while waiting:
            path, record, value = waiting.pop()
            if isinstance(value, _Object) and value:
                waiting += reversed([(_path(path, f".{key}"), record, item) for key, item in value])
            elif _is_table(value):
                self._add_table(path, value)
            elif isinstance(value, list) and value and not _is_short(value):
                steps = ((_path(path, f"[{index}]"), item) for index, item in enumerate(value))
                waiting += reversed([(step, record or step, item) for step, item in steps])
            else:
                self._add_line(path, record, _shown(value))
        self._close()

    def _add_line(self, path: str, record: str, value: str) -> None:
        line = clean(f"{path.lstrip('.')}: {value}" if path else value)
        if self.lines and (record != self.record or self.size + len(line) > BLOCK_LIMIT):
            self._close()
        self.record = record
        self.lines.append(line)
        self.size += len(line) + 1

    def _add_table(self, path: str, items: Sequence[_Object]) -> None:
        if path:
            self._add_line(path, self.record, "")
        self._close()
        header = list(dict.fromkeys(key for item in items for key, _ in item))
        rows = ({key: _shown(value) if value is not None else "" for key, value in item} for item in items)
        self.blocks += table_blocks(header, ([row.get(key, "") for key in header] for row in rows))
        self.tables += 1

    def _close(self) -> None:
        if self.lines:
            self.blocks.append(Block("\n".join(self.lines)))
            self.lines, self.size = [], 0


def _path(path: str, step: str) -> str:
    longer = path + step
    return longer if len(longer) <= MAX_PATH else "…" + longer[1 - MAX_PATH :]


def _is_table(value: Any) -> bool:
    """Tell a list of records that have the same few keys, each once, and plain values."""
    if not isinstance(value, list) or len(value) < 2 or not all(isinstance(item, _Object) for item in value):
        return False
    keys = {key for item in value for key, _ in item}
    filled = sum(map(len, value))
    each_once = all(len({key for key, _ in item}) == len(item) for item in value)
    plain = all(not isinstance(cell, list | _Object) for item in value for _, cell in item)
    return plain and each_once and len(keys) >= 2 and filled * 2 >= len(keys) * len(value)


def _is_short(items: Sequence[Any]) -> bool:
    return all(not isinstance(item, list | _Object) and len(_shown(item)) <= SHORT for item in items)


def _shown(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case _Object():
            return "{}"
        case list():
            return ", ".join(map(_shown, value)) or "[]"
        case _:
            return str(value)
