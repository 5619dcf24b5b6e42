"""Finding the character that separates the cells of a table kept as text."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from statistics import mode

DELIMITERS = "\t;|,"
"""Where two fit equally well, the one that text and figures hold more rarely comes first."""
SAMPLE_LINES = 200
REGULAR = 0.8
"""Share of the rows that must have as many cells as most have."""

_DECLARED = re.compile(r"sep=(.)\r?\n", re.IGNORECASE)


def declared_delimiter(text: str) -> str:
    """Return what a first line 'sep=;', as Excel writes it, says; empty if there is no such line."""
    match = _DECLARED.match(text)
    return match.group(1) if match else ""


def find_delimiter(text: str) -> str:
    """Return the delimiter that cuts the lines most regularly into at least two cells; empty if none does.

    Cells in quotation marks may hold delimiters and line ends.
    """
    if declared := declared_delimiter(text):
        return declared
    sample = list(islice(io.StringIO(text, newline=""), SAMPLE_LINES))
    scores = {delimiter: _regularity(sample, delimiter) for delimiter in DELIMITERS}
    best = max(scores, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > 0 else ""


def _regularity(lines: list[str], delimiter: str) -> float:
    """Return the share of rows with the usual number of cells, 0 if it is too small or they have one cell alone.

    Titles above a table and remarks below it are rows of one cell: they count against it, but for the first few.
    """
    try:
        widths = [len(row) for row in csv.reader(lines, delimiter=delimiter) if any(cell.strip() for cell in row)]
    except csv.Error:
        return 0
    wide = [width for width in widths if width > 1]
    if not wide or len(wide) < len(widths) / 2:
        return 0
    share = wide.count(mode(wide)) / len(wide)
    return share * len(wide) / len(widths) if share >= REGULAR or len(wide) == len(widths) else 0
