"""Finds the places where a document names a value: 'Rent: 950 €', 'Invoice No. 2024-118', a cell beside its label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from study.passports.lexicon import LABELS, LONGEST, Label, normal
from study.passports.values import MAX_LABEL, Kind
from study.passports.windows import Line

SCANNED = 400
"""Characters of a line in which labels are looked for: what is longer is a paragraph."""
MAX_PAIRS = 400
MAX_VALUE = 200
LISTS = ("present", "absent", "author")
"""Concepts under which several people may stand, one to a line or divided by commas."""
PREPOSITIONS = ("from", "to", "cc", "subject")
"""Concepts whose words mean something else after another: 'Subject to:', 'Reply from:'."""
MOST_LISTED = 12
CELLS = " | "

# A colon that ends a label: not the one of a time or of an address.
_COLON = re.compile(r"\s?[:：](?!\d\d\b|//)")
_WORD = re.compile(r"\S+")
_ENUMERATION = re.compile(r"^(?:[-–—•*▪·◦]|\(?[0-9]{1,2}[.)]|\(?[a-z]\)|§ ?\d{1,3}[a-z]?\.?)\s+")
_LETTERS = re.compile(r"[^\W\d_]+")
FIRST = 4
_FIRST_WORDS = {match[0][:FIRST] for match in map(_LETTERS.search, LABELS) if match}
_LONE_LABEL = re.compile(r"[^\W\d_][^:|;!?]{1,38}")
# 'Hinweis Baujahr:' after a value: words that are no part of it, since they name the next.
_CAPITALISED_TAIL = re.compile(r"(?: [A-Z][a-z]{2,20}){1,3}$")


@dataclass(frozen=True)
class Pair:
    """A label, as written, with its value. `label` None: the words are in no lexicon, and so the value must tell."""

    name: str
    label: Label | None
    value: str
    page: int | None
    place: int
    colon: bool = True

    @property
    def concept(self) -> str:
        return self.label.concept if self.label else ""


@dataclass(frozen=True)
class _Name:
    """Where a label stands in a line, its colon included."""

    start: int
    end: int
    text: str
    label: Label | None


def pairs_of(lines: Sequence[Line]) -> list[Pair]:
    """Return the labelled values of a document in their order, a bounded number of them."""
    pairs: list[Pair] = []
    for place, line in enumerate(lines):
        if len(pairs) >= MAX_PAIRS:
            break
        pairs += _in_table(lines, place) if CELLS in line.text else _in_line(lines, place)
    return pairs[:MAX_PAIRS]


def unlisted(text: str) -> str:
    """Return a line without the bullet or number before it."""
    return _ENUMERATION.sub("", text)


def look_up(words: str) -> Label | None:
    """Return what a label means that may have an article or 'total' spelled around it, None if it is not known."""
    if len(words) > MAX_LABEL or _first(words) not in _FIRST_WORDS:
        return None
    return LABELS.get(normal(words))


def _first(words: str) -> str:
    """Return the beginning of the first word in small letters, which is quicker to look up than the whole."""
    match = _LETTERS.search(words)
    return match[0].casefold()[:FIRST] if match else ""


def _in_line(lines: Sequence[Line], place: int) -> Iterator[Pair]:
    line = lines[place]
    text = unlisted(line.text)[:SCANNED]
    names = _names(text)
    for index, name in enumerate(names):
        following = names[index + 1] if index + 1 < len(names) else None
        if name.label and name.label.concept == "subject":
            # 'Subject: Re: Roof estimate' has no other label in it.
            yield Pair(name.text, name.label, _value(text[name.end :]), line.page, place)
            return
        value = _value(text[name.end :] if following is None else text[name.end : following.start])
        if value:
            yield Pair(name.text.rstrip("."), name.label, value, line.page, place)
        elif len(names) == 1 and name.label:
            yield from _below(lines, place, name.text, name.label)
    if not names:
        yield from _without_colon(lines, place, text)


def _names(text: str) -> list[_Name]:
    """Return the labels with a colon in a line."""
    names: list[_Name] = []
    begin = 0
    for colon in _COLON.finditer(text):
        name = _name_before(text, begin, colon.start(), colon.end(), first=not names)
        if name:
            names.append(name)
            begin = colon.end()
    return names


def _name_before(text: str, begin: int, colon: int, end: int, *, first: bool) -> _Name | None:
    """Return the longest known label directly before a colon, or what stands alone at the line's beginning."""
    words = list(_WORD.finditer(text, max(begin, colon - MAX_LABEL), colon))
    for word in words[-LONGEST - 2 :]:
        label = look_up(text[word.start() : colon])
        if label and _may_stand(text, word.start(), label, first=first):
            start = _with_what_kind(text, word.start(), label)
            return _Name(start, end, text[start:colon].strip(), label)
    alone = text[begin:colon].strip()
    if first and 0 < len(words) <= 6 and len(alone) <= MAX_LABEL // 2 and alone[0].isalpha():
        return _Name(begin, end, alone, None)
    tail = _CAPITALISED_TAIL.search(text, begin, colon)
    return _Name(tail.start(), end, tail.group().strip(), None) if tail else None


def _may_stand(text: str, start: int, label: Label, *, first: bool) -> bool:
    """Tell whether a label may begin here: in the middle of a sentence 'to:' names nobody."""
    if not text[:start].strip() or _with_what_kind(text, start, label) == 0:
        return True
    return label.bare or (text[start].isupper() and (label.kind is None or not first))


def _with_what_kind(text: str, start: int, label: Label) -> int:
    """Return where a label begins, up to two words that say more of it included: 'Your order', 'Vessel owner'."""
    before = text[:start]
    more = 0 < len(before.split()) <= 2 and all(word.isalpha() for word in before.split()) and before[0].isupper()
    return 0 if more and label.concept not in PREPOSITIONS else start


def _without_colon(lines: Sequence[Line], place: int, text: str) -> Iterator[Pair]:
    """Find a label alone on its line, its value below, or one followed by a number: 'Invoice No. 2024-118'."""
    line = lines[place]
    if _LONE_LABEL.fullmatch(text):
        label = look_up(text)
        if label and label.kind:
            yield from _below(lines, place, text, label)
            return
    words = list(_WORD.finditer(text, 0, MAX_LABEL))[: LONGEST + 1]
    for count in range(min(len(words) - 1, LONGEST), 0, -1):
        name = text[: words[count - 1].end()]
        label = look_up(name)
        if label and label.bare and label.kind in (Kind.IDENTIFIER, Kind.DATE, Kind.AMOUNT):
            value = _value(text[words[count].start() :])
            yield Pair(name.strip(" .:"), label, value, line.page, place, colon=False)
            return


def _below(lines: Sequence[Line], place: int, name: str, label: Label) -> Iterator[Pair]:
    """Return the line after a lone label as its value; of people, a whole list."""
    for offset, line in enumerate(lines[place + 1 : place + 1 + MOST_LISTED]):
        # A number after a gap begins the next part of the document, not the next person.
        listed = bool(_ENUMERATION.match(line.text)) and not (line.after_gap and line.text[0].isdigit())
        text = unlisted(line.text)[:SCANNED]
        people = label.kind == Kind.PARTY and (listed or (label.concept in LISTS and not line.after_gap))
        more = offset == 0 or people
        if not more or CELLS in text or _names(text) or look_up(text) or _is_sentence(text, label):
            return
        yield Pair(name.strip(" .:"), label, _value(text), line.page, place + 1 + offset, colon=False)
        if not listed and label.concept not in LISTS:
            return


def _is_sentence(text: str, label: Label) -> bool:
    """Tell whether a line below a heading goes on in sentences instead of naming somebody or something."""
    return label.kind in (Kind.PARTY, Kind.PLACE, Kind.SUBJECT) and (text.endswith(".") or ". " in text[20:])


def _in_table(lines: Sequence[Line], place: int) -> Iterator[Pair]:
    """Read a row: a label with its value beside it, or a header over a single row of values."""
    line = lines[place]
    cells = _cells(line)
    labels = [look_up(cell.rstrip(" :")) for cell in cells]
    if sum(1 for label in labels if label) >= 2 and _is_header(lines, place, labels):
        below = _cells(lines[place + 1])
        for cell, label, value in zip(cells, labels, below, strict=True):
            if label and value:
                yield Pair(cell, label, _value(value), lines[place + 1].page, place + 1)
        return
    first = next((index for index, cell in enumerate(cells) if cell), 0)
    for index, (cell, label) in enumerate(zip(cells, labels, strict=True)):
        value = next((other for other in cells[index + 1 :] if other), "")
        if label and value and index == first and not look_up(value):
            # The last cell of a row of sums is the sum: 'Total | 3 | | 1,234.56'.
            value = [other for other in cells if other][-1] if label.kind == Kind.AMOUNT else value
            yield Pair(cell.rstrip(" :"), label, _value(value), line.page, place)
        elif ":" in cell:
            yield from (replace(pair, place=place) for pair in _in_line([Line(cell, line.page)], 0))
        elif index == first and value and len(cells) == 2 and 0 < len(cell) <= MAX_LABEL // 2:
            yield Pair(cell, None, _value(value), line.page, place)


def _is_header(lines: Sequence[Line], place: int, labels: Sequence[Label | None]) -> bool:
    """Tell whether a row names the columns of exactly one row: more rows are entries, and no facts of the document."""
    below = [_cells(line) for line in lines[place + 1 : place + 3]]
    alike = [len(cells) == len(labels) for cells in below]
    return alike[:1] == [True] and alike[1:] != [True] and not any(map(look_up, below[0]))


def _cells(line: Line) -> list[str]:
    """Return the cells of a row, those of Markdown without the bars around it."""
    return [cell.strip(" *") for cell in line.text.strip("| ")[: 2 * SCANNED].split("|")]


def _value(text: str) -> str:
    return text.strip(" \t,;|–-_")[:MAX_VALUE].strip()
