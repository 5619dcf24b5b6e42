"""Makes the table of contents: from the paths of headings, and from lines that look like headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from study.passports import amounts, dates
from study.passports.lexicon import PHRASES, any_of, normal
from study.passports.pairs import CELLS, look_up
from study.passports.values import Entry, Section
from study.passports.windows import Line

MOST = 40
LONGEST = 90
MAX_HEADING = 200

# '3. Rent', '2.1 Term', '§ 4 Kaution', 'Article 5 – Durée', 'CLÁUSULA SEGUNDA', 'TOP 2: Haushalt', 'Chapter 1'.
_NUMBERED = re.compile(
    rf"(?:(?P<number>\d{{1,2}}(?:\.\d{{1,2}}){{0,3}})[.)]?\s{{1,3}}(?=[^\W\d_])"
    rf"|(?:§{{1,2}} ?\d{{1,3}}[a-z]?|{any_of(PHRASES['parts'])}(?!\w))[.:]?\s?)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.,;!?…]$|[.!?] [A-ZÄÖÜ]")
_PAGE_MARK = re.compile(r"\b(?:page|seite|página|pág|p)\.? \d", re.IGNORECASE)
_LETTERS = re.compile(r"[^\W\d_]{3}")
_NO_HEADING = re.compile(f"(?:{any_of([*PHRASES['greetings'], *PHRASES['farewells']])})(?!\\w)", re.IGNORECASE)


# 'Zwischen' on a line of its own introduces the sides of a contract.
_BETWEEN = frozenset([*PHRASES["openings"], *PHRASES["conjunctions"]])


def contents_of(sections: Sequence[Section], lines: Sequence[Line]) -> tuple[Entry, ...]:
    """Return at most MOST headings in their order, each once, with page and depth.

    Sections begin with a path of headings; short sections are one with their neighbours, so that the headings within
    them are found by their looks, in the part of the document that the rules look at.
    """
    places = _places(lines)
    paths = _placed(_of_paths(sections), places, lines)
    known = {normal(entry.text) for _, entry in paths}
    looks = [(place, entry) for place, entry in _of_lines(lines) if normal(entry.text) not in known]
    in_order = sorted([*paths, *looks], key=lambda placed: placed[0])
    return tuple(entry for _, entry in in_order[:MOST])


def _of_paths(sections: Sequence[Section]) -> Iterator[Entry]:
    before: tuple[str, ...] = ()
    for section in sections:
        path = section.heading
        same = next((depth for depth, (old, new) in enumerate(zip(before, path, strict=False)) if old != new), None)
        start = min(len(before), len(path)) if same is None else same
        for depth in range(start, len(path)):
            text = " ".join(path[depth].split())
            if text:
                yield Entry(text[:LONGEST], section.page_start, depth + 1)
        before = path


def _places(lines: Sequence[Line]) -> dict[str, list[int]]:
    """Return the numbers of the short lines by their normal form."""
    places: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        if len(line.text) <= MAX_HEADING:
            places.setdefault(normal(line.text[:LONGEST]), []).append(index)
    return places


def _placed(entries: Iterable[Entry], places: dict[str, list[int]], lines: Sequence[Line]) -> list[tuple[float, Entry]]:
    """Give each heading its line, and the page of that: an outer heading may stand in an earlier section.

    A heading whose line is not looked at comes right after the one before it.
    """
    placed: list[tuple[float, Entry]] = []
    last = -1.0
    for entry in entries:
        before = [at for at in places.get(normal(entry.text), ()) if (lines[at].page or 0) <= (entry.page or 0)]
        if before:
            last = float(before[-1])
            placed.append((last, replace(entry, page=lines[before[-1]].page)))
        else:
            placed.append((last + 0.5, entry))
    return placed


def _of_lines(lines: Sequence[Line]) -> Iterator[tuple[float, Entry]]:
    seen: set[str] = set()
    for index, line in enumerate(lines):
        following = lines[index + 1] if index + 1 < len(lines) else None
        if not _looks_like_heading(line, following):
            continue
        key = normal(line.text[:LONGEST])
        if key in seen:
            continue
        seen.add(key)
        number = _NUMBERED.match(line.text)
        depth = number["number"].count(".") + 1 if number and number["number"] else 1
        yield float(index), Entry(" ".join(line.text.split())[:LONGEST], line.page, depth)


def _looks_like_heading(line: Line, following: Line | None) -> bool:
    text = line.text
    if not line.after_gap or following is None or len(text) > LONGEST:
        return False
    number = _NUMBERED.match(text)
    if _says_something(text[number.end() :] if number else text):
        return False
    if number:
        return True
    # Unnumbered: alone between gaps, over text that is longer than itself.
    alone = text[0].isupper() and following.after_gap and len(following.text) > len(text)
    return alone and len(text.split()) <= 8 and not text.endswith(":") and text.casefold() not in _BETWEEN


def _says_something(text: str) -> bool:
    """Tell whether a line is a sentence, a value, a row, a date or a greeting rather than a heading."""
    if _SENTENCE.search(text) or CELLS in text or ":" in text[:-1] or "@" in text or not _LETTERS.search(text):
        return True
    if dates.spot(text, dates.Order.UNKNOWN) or amounts.spot(text, amounts.Custom()):
        return True
    return bool(_NO_HEADING.match(text) or _PAGE_MARK.search(text) or (text.endswith(":") and look_up(text)))
