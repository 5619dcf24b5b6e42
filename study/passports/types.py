"""Tells the type of a document from its title, its name, its labels and its words."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from study.passports.lexicon import TYPES, Type
from study.passports.pairs import CELLS
from study.passports.values import UNKNOWN_TYPE
from study.passports.windows import Line

TITLE_LINES = 12
TITLE_LENGTH = 110
MIN_NOUN = 6
"""Letters of a German noun that is recognised at the end of another: 'Wohnraummietvertrag'."""
WORDS_WITHIN = 12_000
"""Characters in which the words of a type are counted."""
THRESHOLD = 5
_IS_TITLE, _BEGINS_TITLE, _IN_TITLE, _IN_NAME = 9, 7, 4, 4
_CONCEPT, _MOST_CONCEPTS = 2, 4
_WORD, _MOST_WORDS = 1, 3
_ENDING, _MAIL, _LETTER, _TABLE = 5, 9, 6, 5
_MANY_ROWS, _ALL_ROWS = 0.5, 0.8
"""Share of the lines of a table that are rows, and of a text that is nothing but a table whatever its name."""


@dataclass(frozen=True)
class Signs:
    """What is known about a document when its type is judged."""

    name: str
    lines: Sequence[Line]
    titles: Sequence[str]
    concepts: Collection[str]
    is_mail: bool
    is_letter: bool


@dataclass(frozen=True)
class Verdict:
    """The type, and the page of the title that says so (the first page where none does)."""

    name: str
    page: int | None


_NOT_WORDS = re.compile(r"[\W_]+")
# Endings that a noun may have and still be the same: genitive and plural.
_ENDINGS = ("", "s", "es", "e", "en")


def _flat(text: str) -> str:
    """Return the words of a text in small letters, one space between them and around."""
    return f" {_NOT_WORDS.sub(' ', text.lower()).strip()} "


_TITLES = {kind.name: tuple(_flat(title).strip() for title in kind.titles) for kind in TYPES}
_WORDS = {kind.name: tuple(_flat(word) for word in kind.words) for kind in TYPES}


def type_of(signs: Signs) -> Verdict:
    """Return the likeliest type, 'document' where nothing is likely enough; of equals the more special one."""
    text = _flat("\n".join(line.text for line in signs.lines)[:WORDS_WITHIN])
    titles = [_flat(title) for title in _title_lines(signs)]
    best, most = UNKNOWN_TYPE, THRESHOLD - 1
    for kind in TYPES:
        points = _points(kind, signs, titles, text)
        if points > most:
            best, most = kind.name, points
    return Verdict(best, _page(best, signs))


def _points(kind: Type, signs: Signs, titles: Sequence[str], text: str) -> int:
    points = max((_title_points(kind, title, place) for place, title in enumerate(titles)), default=0)
    stem, _, ending = signs.name.lower().rpartition(".")
    points += _IN_NAME if _hit(kind, _flat(re.sub(r"\d+", " ", stem or ending))) else 0
    points += min(_MOST_CONCEPTS, _CONCEPT * len(set(kind.concepts) & set(signs.concepts)))
    points += min(_MOST_WORDS, _WORD * sum(1 for word in _WORDS[kind.name] if word in text))
    return points + _shape_points(kind, signs, ending)


def _shape_points(kind: Type, signs: Signs, ending: str) -> int:
    """Return the points for what needs no words: the form of a letter, a mail or a table, the ending of the name."""
    points = _ENDING if ending in kind.endings else 0
    if kind.name == "e-mail" and signs.is_mail:
        points += _MAIL
    if kind.name == "letter" and signs.is_letter:
        points += _LETTER
    if kind.name == "table" and _rows(signs.lines) > (_MANY_ROWS if points else _ALL_ROWS):
        points += _TABLE
    return points


def _title_points(kind: Type, title: str, place: int) -> int:
    """Return the points for a title, the more the earlier it stands and the less else it says."""
    hit = _hit(kind, title)
    if not hit:
        return 0
    rest = len(title) - 2 - len(hit)
    if rest <= 2 or (" " not in title.strip() and rest <= 24):
        points = _IS_TITLE
    elif title.startswith(f" {hit}") or rest <= 14:
        points = _BEGINS_TITLE
    else:
        points = _IN_TITLE
    # Of two types the one whose name is longer is the more exact: 'purchase order', 'accident report'.
    return points + (1 if len(hit) > 12 else 0) - min(place // 3, 3)


def _hit(kind: Type, text: str) -> str:
    """Return the longest title of a type that a flat text has, as words or as the end of a German noun; '' if none."""
    hits = [title for title in _TITLES[kind.name] if title in text and _stands_alone(title, text)]
    return max(hits, key=len, default="")


def _stands_alone(title: str, text: str) -> bool:
    begins = text.find(title)
    while begins >= 0:
        after = text[begins + len(title) :].partition(" ")[0]
        if after in _ENDINGS and (text[begins - 1] == " " or len(title) >= MIN_NOUN):
            return True
        begins = text.find(title, begins + 1)
    return False


def _title_lines(signs: Signs) -> list[str]:
    """Return the headings and the short lines at the beginning, in small letters; labels with values are no titles."""
    lines = [
        line.text for line in signs.lines[:TITLE_LINES] if len(line.text) <= TITLE_LENGTH and not _states(line.text)
    ]
    return [*signs.titles[:2], *lines]


def _states(line: str) -> bool:
    return bool(re.search(r"[^\W\d]\s?:\s?\S", line)) or CELLS in line


def _page(name: str, signs: Signs) -> int | None:
    kind = next((kind for kind in TYPES if kind.name == name), None)
    for line in signs.lines[:TITLE_LINES]:
        if kind and _hit(kind, _flat(line.text[:TITLE_LENGTH])):
            return line.page
    return signs.lines[0].page if signs.lines else None


def _rows(lines: Sequence[Line]) -> float:
    return sum(1 for line in lines if CELLS in line.text) / len(lines) if lines else 0.0
