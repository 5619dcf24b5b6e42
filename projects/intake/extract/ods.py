"""Reads OpenDocument sheets (.ods): what the cells display, sheet by sheet."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from projects.intake.extract.base import Context, Extraction, Report
from projects.intake.extract.ooxml import left_out
from projects.intake.extract.opendocument import CONTENT, name, opened, paragraph_text
from projects.intake.extract.packed import xml_ends
from projects.intake.extract.sheets import Cells, Hidden, Merge, Sheet, uncalculated, workbook_blocks
from projects.intake.extract.sniff import ODS

MOST_REPEATED = 1_000
"""Equal rows or cells in a stretch that are written out: a format for a whole column repeats a million times."""

_TABLE, _ROW, _CELL = name("table:table"), name("table:table-row"), name("table:table-cell")
_COVERED, _STYLE, _SHAPES = name("table:covered-table-cell"), name("style:style"), name("table:shapes")
_PARAGRAPH, _COMMENT = name("text:p"), name("office:annotation")
_ROWS_REPEATED, _COLUMNS_REPEATED = name("table:number-rows-repeated"), name("table:number-columns-repeated")
_ROWS_SPANNED = name("table:number-rows-spanned")
_REFERENCE = re.compile(r"\[([^\]]*)\]")


@dataclass
class _Draft:
    """A sheet while its rows come in; `row` is the last one's number."""

    name: str
    is_hidden: bool
    row: int = 0
    cells: Cells = field(default_factory=dict)
    merges: list[Merge] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)


@dataclass
class _Counts:
    formulas: int = 0
    repeated: int = 0
    comments: int = 0


def extract(path: Path, context: Context) -> Extraction:
    """Read all sheets, hidden ones too; the file holds what each cell displays."""
    counts = _Counts()
    with opened(path, context) as archive:
        sheets = [_sheet(draft) for draft in _drafts(archive, counts, context)]
        missing = left_out(archive.namelist(), *_left_out(counts))
    blocks, tables = workbook_blocks(sheets)
    return Extraction(ODS, blocks, len(sheets), uncalculated(counts.formulas), Report(tables=tables, left_out=missing))


def _drafts(archive: zipfile.ZipFile, counts: _Counts, context: Context) -> Iterator[_Draft]:
    """Yield the sheets, reading the rows one at a time: the whole would take many times the file's size."""
    invisible: set[str] = set()
    draft: _Draft | None = None
    done = 0
    for element in xml_ends(archive, CONTENT, _STYLE, _ROW, _SHAPES, _TABLE):
        if element.tag == _STYLE:
            if any(child.get(name("table:display")) == "false" for child in element):
                invisible.add(element.get(name("style:name")))
            continue
        table = element if element.tag == _TABLE else next(element.iterancestors(_TABLE))
        draft = draft or _Draft(table.get(name("table:name"), ""), table.get(name("table:style-name")) in invisible)
        if element.tag == _ROW:
            _add_row(draft, element, counts)
        elif element.tag == _SHAPES:
            draft.texts += filter(None, map(paragraph_text, element.iter(_PARAGRAPH)))
        else:
            yield draft
            draft = None
            done += 1
            context.progress(done, 0)


def _sheet(draft: _Draft) -> Sheet:
    return Sheet(draft.name, draft.cells, draft.merges, Hidden(draft.is_hidden, draft.hidden_rows), draft.texts)


def _add_row(draft: _Draft, row: Any, counts: _Counts) -> None:
    repeated = _count(row, _ROWS_REPEATED)
    found: dict[int, str] = {}
    column = 1
    for cell in row.iterchildren(_CELL, _COVERED):
        across = _count(cell, _COLUMNS_REPEATED)
        text = _text(cell, counts) if cell.tag == _CELL else ""
        if text:
            found.update(dict.fromkeys(range(column, column + min(across, MOST_REPEATED)), text))
            counts.repeated += max(across - MOST_REPEATED, 0)
            down = _count(cell, _ROWS_SPANNED)
            if down > 1:
                draft.merges.append(Merge(draft.row + 1, column, draft.row + down))
        column += across
    if found:
        written = range(draft.row + 1, draft.row + 1 + min(repeated, MOST_REPEATED))
        draft.cells.update((number, dict(found)) for number in written)
        counts.repeated += max(repeated - MOST_REPEATED, 0)
        if row.get(name("table:visibility")) in {"collapse", "filter"}:
            draft.hidden_rows += written
    draft.row += repeated


def _text(cell: Any, counts: _Counts) -> str:
    counts.comments += cell.find(_COMMENT) is not None
    kind = cell.get(name("office:value-type"))
    if kind == "date":
        return _date(cell.get(name("office:date-value"), ""))
    shown = " ".join(" ".join(map(paragraph_text, cell.iterchildren(_PARAGRAPH))).split())
    if shown:
        return shown
    stored = next((value for key in ("string-value", "value") if (value := cell.get(name(f"office:{key}")))), "")
    formula = cell.get(name("table:formula"))
    if stored or formula is None or kind is not None:
        return stored
    counts.formulas += 1
    return _formula(formula)


def _date(stored: str) -> str:
    """Return 2023-03-15T14:30:00 as 2023-03-15 14:30, without a time at midnight."""
    day, _, clock = stored.partition("T")
    clock = clock.partition(".")[0].removesuffix("Z").removesuffix(":00")
    return day if not clock or clock == "00:00" else f"{day} {clock}"


def _formula(stored: str) -> str:
    """Return 'of:=SUM([.A1:.A3])' as people write it: '=SUM(A1:A3)'."""
    _, _, formula = stored.partition("=")
    return "=" + _REFERENCE.sub(lambda match: match.group(1).replace(":.", ":").removeprefix("."), formula)


def _count(element: Any, attribute: str) -> int:
    return max(int(element.get(attribute, 1)), 1)


def _left_out(counts: _Counts) -> Iterator[str]:
    if counts.comments:
        yield "Comments were left out."
    if counts.repeated:
        yield f"Of long stretches of equal rows or cells, {counts.repeated:,} were left out."
