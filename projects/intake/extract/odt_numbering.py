"""Counts the numbers of headings and list items, which OpenDocument describes in styles and no paragraph holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from projects.intake.extract.opendocument import name
from projects.intake.extract.ordinals import ordinal

LEVELS = 10
BULLET = "-"
OUTLINE = ""
"""Under this name the numbering of headings stands beside the list styles."""

_FORMS = {"1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman"}
_LEVELS = tuple(map(name, ("text:list-level-style-number", "text:list-level-style-bullet", "text:outline-level-style")))
_BULLETS = name("text:list-level-style-bullet")


@dataclass(frozen=True)
class _Level:
    """How the numbers of a level look; `shown` is how many levels above are written along, this one included."""

    form: str = ""
    before: str = ""
    after: str = ""
    shown: int = 1
    start: int = 1


class Numbering:
    """Labels list items and headings of one document, to be asked in their order."""

    def __init__(self, *roots: Any) -> None:
        self._looks: dict[str, dict[int, _Level]] = {}
        self._counts: dict[str, list[int | None]] = {}
        for root in roots:
            for style in root.iter(name("text:list-style"), name("text:outline-style")):
                is_outline = style.tag == name("text:outline-style")
                self._looks[OUTLINE if is_outline else style.get(name("style:name"), "")] = dict(_looks(style))

    def begin(self, style: str) -> None:
        """Begin a list that does not go on from one before."""
        self._counts.pop(style, None)

    def label(self, style: str, level: int, start: int | None = None) -> str:
        """Count on in a list and return the number as it is printed, '-' for a bullet, empty where nothing is.

        Levels count from 1. A `start` begins anew there.
        """
        looks = self._looks.get(style, {})
        look = looks.get(level)
        if look is None or not 0 < level <= LEVELS:
            return ""
        counts = self._counts.setdefault(style, [None] * (LEVELS + 1))
        before = counts[level]
        counts[level] = start if start is not None else look.start if before is None else before + 1
        counts[level + 1 :] = [None] * (LEVELS - level)
        if look.form in {"", BULLET}:
            return look.form
        return f"{look.before}{_number(looks, counts, level)}{look.after}".strip()


def _number(looks: dict[int, _Level], counts: list[int | None], level: int) -> str:
    parts = []
    for place in range(max(level - looks[level].shown + 1, 1), level + 1):
        look = looks.get(place, _Level())
        count = counts[place]
        if look.form not in {"", BULLET}:
            parts.append(ordinal(look.start if count is None else count, look.form))
    return ".".join(parts)


def _looks(style: Any) -> Iterator[tuple[int, _Level]]:
    for element in style.iterchildren(*_LEVELS):
        level = _integer(element, "text:level", 0)
        if element.tag == _BULLETS:
            yield level, _Level(BULLET)
        else:
            yield (
                level,
                _Level(
                    _FORMS.get(element.get(name("style:num-format"), ""), ""),
                    element.get(name("style:num-prefix"), ""),
                    element.get(name("style:num-suffix"), ""),
                    _integer(element, "text:display-levels", 1),
                    _integer(element, "text:start-value", 1),
                ),
            )


def _integer(element: Any, attribute: str, default: int) -> int:
    text = element.get(name(attribute), "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else default
