"""Reads tables kept as text: CSV and its like, whatever parts the cells, in whatever encoding."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Iterator
from itertools import chain, islice
from pathlib import Path

from projects.intake.extract.base import Block, Context, Extraction, Report
from projects.intake.extract.delimiters import declared_delimiter, find_delimiter
from projects.intake.extract.plain import read_raw
from projects.intake.extract.rows import HEADER_ROWS, header_index, table_blocks
from projects.intake.extract.sniff import CSV

MOST_LINES = 200
"""Of one cell in quotation marks; beyond it, the mark that began it was none."""


def extract(path: Path, context: Context) -> Extraction:
    """Read a table; cells stay as written, decimal commas included."""
    decoded = read_raw(path)
    report = Report(replaced=decoded.replaced, tables=1)
    return Extraction(CSV, tuple(_blocks(decoded.text)), warnings=decoded.warnings, report=report)


def _blocks(text: str) -> Iterator[Block]:
    rows = _rows(text)
    first = list(islice(rows, HEADER_ROWS))
    header = header_index(first)
    if header is None:
        yield from table_blocks([], chain(first, rows))
        return
    yield from table_blocks([], first[:header])
    yield from table_blocks(first[header], chain(first[header + 1 :], rows))


def _rows(text: str) -> Iterator[list[str]]:
    csv.field_size_limit(sys.maxsize)
    delimiter = find_delimiter(text) or ","
    if declared_delimiter(text):
        text = text.split("\n", 1)[1]
    stream = io.StringIO(text, newline="")
    if _has_lone_quote(text, delimiter):
        return csv.reader(stream, delimiter=delimiter, quoting=csv.QUOTE_NONE)
    return csv.reader(stream, delimiter=delimiter)


def _has_lone_quote(text: str, delimiter: str) -> bool:
    """Tell whether a quotation mark, an inch sign say, opens a cell that would swallow the lines after it."""
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return any(cell.count("\n") > MOST_LINES for row in rows for cell in row) or _ends_within_quotes(text, delimiter)


def _ends_within_quotes(text: str, delimiter: str) -> bool:
    try:
        for _ in csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return "end of data" in str(error)
    return False
