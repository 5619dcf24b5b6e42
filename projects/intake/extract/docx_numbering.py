"""Counts the numbers of headings, clauses and list items, which Word computes and no paragraph holds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from projects.intake.extract.ordinals import ordinal

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_VALUE = f"{_W}val"
LEVELS = 9
BULLET = "-"
MOST_ANCESTORS = 20
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True)
class _Level:
    """How the numbers of one level look: `text` is a pattern such as '%1.%2'."""

    start: int = 1
    form: str = "decimal"
    text: str = ""
    decimal_only: bool = False


@dataclass
class _List:
    """A kind of list and how far it has been counted; several lists of a kind go on counting."""

    levels: dict[int, _Level]
    by_style: dict[str, int]
    counts: list[int | None] = field(default_factory=lambda: [None] * LEVELS)


class Numbering:
    """Labels the paragraphs of one document, to be asked in their order."""

    def __init__(self, document: Any) -> None:
        from docx.oxml import parse_xml

        self._lists: dict[str, _List] = {}
        self._kinds: dict[str, str] = {}  # of lists, by the number that paragraphs refer to
        self._restarts: dict[str, dict[int, int]] = {}
        self._styles: dict[str, tuple[str, int | None]] = {}
        part = next((rel for rel in document.part.rels.values() if rel.reltype.endswith("/numbering")), None)
        if part is not None and not part.is_external:
            self._read(parse_xml(part.target_part.blob))
            self._styles = dict(_styles(document.styles.element))

    def label(self, paragraph: Any) -> str:
        """Return a paragraph's number as it is printed ('§ 3', '2.1', 'a)'), '-' for a bullet, empty without one."""
        identity, level = self._of(paragraph)
        kind = self._lists.get(self._kinds.get(identity, ""))
        if kind is None or not 0 <= level < LEVELS:
            return ""
        for place, start in self._restarts.pop(identity, {}).items():
            kind.counts[place] = start - 1
            kind.counts[place + 1 :] = [None] * (LEVELS - place - 1)
        count = kind.counts[level]
        kind.counts[level] = kind.levels.get(level, _Level()).start if count is None else count + 1
        kind.counts[level + 1 :] = [None] * (LEVELS - level - 1)
        return _printed(kind, level)

    def _of(self, paragraph: Any) -> tuple[str, int]:
        """Return which list a paragraph belongs to, by itself or by its style, and at which level."""
        own = paragraph.find(f"{_W}pPr/{_W}numPr")
        style = _value(paragraph.find(f"{_W}pPr/{_W}pStyle"))
        of_style, level_of_style = self._styles.get(style, ("", None))
        identity = _value(None if own is None else own.find(f"{_W}numId")) or of_style
        level = _number(None if own is None else own.find(f"{_W}ilvl"), level_of_style)
        if level is None:
            kind = self._lists.get(self._kinds.get(identity, ""))
            level = kind.by_style.get(style, 0) if kind else 0
        return identity, level

    def _read(self, numbering: Any) -> None:
        linked: dict[str, str] = {}
        for element in numbering.iterchildren(f"{_W}abstractNum"):
            identity = element.get(f"{_W}abstractNumId", "")
            self._lists[identity] = _List(dict(_levels(element)), dict(_level_styles(element)))
            linked[_value(element.find(f"{_W}styleLink"))] = identity
        for element in numbering.iterchildren(f"{_W}abstractNum"):
            link = _value(element.find(f"{_W}numStyleLink"))
            if link and link in linked:
                self._lists[element.get(f"{_W}abstractNumId", "")] = self._lists[linked[link]]
        for element in numbering.iterchildren(f"{_W}num"):
            identity = element.get(f"{_W}numId", "")
            self._kinds[identity] = _value(element.find(f"{_W}abstractNumId"))
            self._restarts[identity] = dict(_restarts(element))


def _levels(element: Any) -> Iterator[tuple[int, _Level]]:
    for level in element.iterchildren(f"{_W}lvl"):
        legal = level.find(f"{_W}isLgl")
        yield (
            _number(level, 0, f"{_W}ilvl") or 0,
            _Level(
                _number(level.find(f"{_W}start"), 0) or 0,
                _value(level.find(f"{_W}numFmt")) or "decimal",
                _value(level.find(f"{_W}lvlText")),
                legal is not None and legal.get(_VALUE) not in {"0", "false", "off"},
            ),
        )


def _level_styles(element: Any) -> Iterator[tuple[str, int]]:
    for level in element.iterchildren(f"{_W}lvl"):
        style = _value(level.find(f"{_W}pStyle"))
        if style:
            yield style, _number(level, 0, f"{_W}ilvl") or 0


def _restarts(element: Any) -> Iterator[tuple[int, int]]:
    for override in element.iterchildren(f"{_W}lvlOverride"):
        start = _number(override.find(f"{_W}startOverride"), None)
        level = _number(override, 0, f"{_W}ilvl") or 0
        if start is not None and level < LEVELS:
            yield level, start


def _styles(styles: Any) -> Iterator[tuple[str, tuple[str, int | None]]]:
    """Yield for each style the list that it, or the style it is built on, belongs to, and the level if it says one."""
    by_id = {style.get(f"{_W}styleId"): style for style in styles.iterchildren(f"{_W}style")}
    for identity, style in by_id.items():
        ancestor, steps = style, 0
        while ancestor is not None and steps < MOST_ANCESTORS:
            properties = ancestor.find(f"{_W}pPr/{_W}numPr")
            if properties is not None and properties.find(f"{_W}numId") is not None:
                yield identity, (_value(properties.find(f"{_W}numId")), _number(properties.find(f"{_W}ilvl"), None))
                break
            ancestor, steps = by_id.get(_value(ancestor.find(f"{_W}basedOn"))), steps + 1


def _printed(kind: _List, level: int) -> str:
    look = kind.levels.get(level, _Level())
    if look.form == "bullet":
        return BULLET
    if look.form == "none" and "%" not in look.text:
        return look.text.strip()

    def shown(match: re.Match[str]) -> str:
        place = int(match.group(1)) - 1
        other = kind.levels.get(place, _Level())
        count = kind.counts[place]
        return ordinal(other.start if count is None else count, "decimal" if look.decimal_only else other.form)

    return _PLACE.sub(shown, look.text).strip()


def _value(element: Any) -> str:
    return "" if element is None else str(element.get(_VALUE, ""))


def _number(element: Any, default: int | None, attribute: str = _VALUE) -> int | None:
    text = "" if element is None else element.get(attribute, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default
