"""What openpyxl leaves out when it streams a sheet: merged cells, hidden rows, formulas without a value."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from projects.intake.extract.packed import xml_ends, xml_root
from projects.intake.extract.sheets import Merge

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_DRAWING_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_ROW, _COL, _MERGE, _CELL, _FORMULA, _VALUE = (f"{_MAIN}{tag}" for tag in ("row", "col", "mergeCell", "c", "f", "v"))
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_RELATION_ID = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass
class SheetFacts:
    """Of one sheet: `formulas` are those without a stored value, by (row, column); columns by their letters."""

    merges: list[Merge] = field(default_factory=list)
    hidden_rows: list[int] = field(default_factory=list)
    hidden_columns: list[str] = field(default_factory=list)
    formulas: dict[tuple[int, int], str] = field(default_factory=dict)


def sheet_parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return the part of each sheet by the sheet's name."""
    workbook = _target(archive, "", "/officeDocument")
    targets = {identity: target for identity, _, target in _relations(archive, workbook)}
    sheets = xml_root(archive, workbook).iter(f"{_MAIN}sheet")
    return {sheet.get("name"): targets[sheet.get(_RELATION_ID)] for sheet in sheets}


def facts_of(archive: zipfile.ZipFile, part: str) -> SheetFacts:
    """Read through a sheet; time and memory follow what is in it, not the size it declares."""
    facts = SheetFacts()
    shared: dict[str, Any] = {}
    number = 0
    for element in xml_ends(archive, part, _ROW, _COL, _MERGE):
        if element.tag == _MERGE:
            facts.merges.append(_merge(element.get("ref")))
        elif element.tag == _COL:
            facts.hidden_columns += _hidden_columns(element)
        else:
            number = int(element.get("r", number + 1))
            if _is_true(element.get("hidden")):
                facts.hidden_rows.append(number)
            facts.formulas.update(_formulas(element, shared))
    return facts


def shape_texts(archive: zipfile.ZipFile, part: str) -> Iterator[str]:
    """Yield the paragraphs of text boxes and other shapes that lie on a sheet."""
    for _, kind, target in _relations(archive, part):
        if kind.endswith("/drawing") and target in archive.namelist():
            for paragraph in xml_root(archive, target).iter(f"{_DRAWING_TEXT}p"):
                text = "".join(run.text or "" for run in paragraph.iter(f"{_DRAWING_TEXT}t"))
                if text.strip():
                    yield text.strip()


def _formulas(row: Any, shared: dict[str, Any]) -> Iterator[tuple[tuple[int, int], str]]:
    """Yield the formulas of a row that have no value: written by a program that does not calculate.

    A shared formula is written out once; its other cells refer to it by number and are translated.
    """
    from openpyxl.formula.translate import Translator
    from openpyxl.utils.cell import coordinate_to_tuple

    for cell in row.iterchildren(_CELL):
        formula = cell.find(_FORMULA)
        if formula is None or cell.get("r") is None:
            continue
        place, text, number = cell.get("r"), formula.text or "", formula.get("si")
        if number is not None and text:
            shared[number] = Translator(f"={text}", origin=place)
        # An empty string is a value of its own: a formula may well give no text.
        if cell.findtext(_VALUE) or cell.get("t") == "str":
            continue
        if number in shared:
            yield coordinate_to_tuple(place), shared[number].translate_formula(place)
        elif text:
            yield coordinate_to_tuple(place), f"={text}"


def _merge(reference: str) -> Merge:
    from openpyxl.utils.cell import range_boundaries

    left, top, _, bottom = range_boundaries(reference)
    return Merge(top, left, bottom)


def _hidden_columns(element: Any) -> list[str]:
    from openpyxl.utils.cell import get_column_letter

    if not _is_true(element.get("hidden")):
        return []
    first, last = int(element.get("min")), int(element.get("max"))
    letters = f"{get_column_letter(first)}–{get_column_letter(last)}" if last > first else get_column_letter(first)
    return [letters]


def _is_true(value: str | None) -> bool:
    return value in {"1", "true"}


def _target(archive: zipfile.ZipFile, part: str, kind: str) -> str:
    """Return the part that `part` refers to by this kind of relation; KeyError if there is none."""
    for _, found, target in _relations(archive, part):
        if found.endswith(kind):
            return target
    raise KeyError(kind)


def _relations(archive: zipfile.ZipFile, part: str) -> Iterator[tuple[str, str, str]]:
    """Yield (id, kind, target) of the parts that a part refers to; the package itself is the part ''."""
    folder, name = posixpath.split(part)
    relations = posixpath.join(folder, "_rels", f"{name}.rels")
    if relations not in archive.namelist():
        return
    for element in xml_root(archive, relations).iter(_RELATION):
        if element.get("TargetMode") != "External":
            target = posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/")
            yield element.get("Id", ""), element.get("Type", ""), target
