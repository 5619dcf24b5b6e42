"""A passport in the words that the model is given: about 200 tokens, the most telling first."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from study.passports.values import Entry, Field, Kind, Passport

TOKENS = 200
CONTENTS_SHARE = 60
"""Tokens kept free for the contents, while fields fill the rest."""
MOST_LISTED = 12
SHOWN = 80
"""Characters of a value: the model is told what a document is about, not what it says."""

_LANGUAGES = {"en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese"}
_LANGUAGES |= {"nl": "Dutch", "sv": "Swedish", "da": "Danish", "pl": "Polish", "cs": "Czech", "tr": "Turkish"}
# A date of numbers only, which is read differently in other countries; the rest of the value is the time of day.
_NUMERIC_DATE = re.compile(r"\d{1,4}[./-] ?\d{1,2}[./-] ?\d{1,4}")
_PIECE = re.compile(r"[^\W\d_]+|\d|[^\w\s]|_")


def for_model(passport: Passport) -> str:
    """Return the passport as text, without the document's name; the same passport always gives the same text.

    Values stand with the page they are on; those that the budget has no room for are left out, least telling first.
    """
    lines = [_head(passport)]
    chosen = _chosen(list(_telling(passport.fields)), TOKENS - CONTENTS_SHARE - tokens_in(lines[0]))
    lines += _by_page(chosen)
    contents = _contents(_other_than(passport.fields, passport.contents), TOKENS - tokens_in("\n".join(lines)))
    return "\n".join([*lines, *contents])


def tokens_in(text: str) -> int:
    """Return about how many tokens a text is: one for a digit or a mark, one for each five letters of a word begun.

    An estimate, since passports are made where no model is loaded.
    """
    return sum(-(-len(piece) // 5) for piece in _PIECE.findall(text)) + text.count("\n")


def _head(passport: Passport) -> str:
    language = _LANGUAGES.get(passport.language, passport.language)
    pages = f"{passport.pages} page{'' if passport.pages == 1 else 's'}" if passport.pages else ""
    return ", ".join(part for part in (f"Type: {passport.type}", language, pages) if part)


def _telling(fields: Sequence[Field]) -> Iterator[Field]:
    """Leave out dates and amounts of which nothing says what they are, where others have a name."""
    named = {field.kind for field in fields if field.label}
    for field in fields:
        if field.label or field.kind not in (Kind.DATE, Kind.AMOUNT) or field.kind not in named:
            yield field


def _chosen(fields: Iterable[Field], room: int) -> list[Field]:
    """Return the first fields that fit; what a person corrected or added comes in before all others."""
    chosen: list[Field] = []
    for field in sorted(fields, key=lambda field: not field.replaces and field.source == "found"):
        cost = tokens_in(f"{_label(field)}: {_shown(field)}") + 1
        if cost <= room:
            chosen.append(field)
            room -= cost
    return chosen


def _by_page(fields: Iterable[Field]) -> Iterator[str]:
    pages: dict[int | None, dict[str, list[str]]] = {}
    for field in fields:
        pages.setdefault(field.page, {}).setdefault(_label(field), []).append(_shown(field))
    for page, labels in sorted(pages.items(), key=lambda item: item[0] or 0):
        values = "; ".join(f"{label}: {', '.join(shown)}" for label, shown in labels.items())
        yield values if page is None else f"Page {page}: {values}"


def _shown(field: Field) -> str:
    value = field.value
    if field.kind == Kind.DATE and field.normalised:
        value = _NUMERIC_DATE.sub(field.normalised, value, count=1)
    return _cut(value)


def _label(field: Field) -> str:
    if field.label:
        return field.label
    return "Title" if field.kind == Kind.SUBJECT else field.kind.capitalize()


def _other_than(fields: Sequence[Field], contents: Iterable[Entry]) -> list[Entry]:
    """Leave out of the contents what is the title."""
    titles = {field.value for field in fields if field.kind == Kind.SUBJECT}
    return [entry for entry in contents if entry.text not in titles]


def _contents(entries: Sequence[Entry], room: int) -> Iterator[str]:
    """Return the line of the contents: as many headings as fit, outer ones before inner ones, in their order."""
    room -= tokens_in("Contents: ")
    kept: set[int] = set()
    for index, entry in sorted(enumerate(entries), key=lambda item: item[1].depth):
        cost = tokens_in(entry.text[:SHOWN]) + 1 + (3 if _turns(entries, index) else 0)
        if cost <= room and len(kept) < MOST_LISTED:
            kept.add(index)
            room -= cost
    headings = [entries[index] for index in sorted(kept)]
    if headings:
        shown = (
            f"{f'p. {entry.page} ' if _turns(headings, at) else ''}{_cut(entry.text)}"
            for at, entry in enumerate(headings)
        )
        yield "Contents: " + "; ".join(shown)


def _turns(entries: Sequence[Entry], index: int) -> bool:
    """Tell whether a heading is on another page than the one before it."""
    page = entries[index].page
    return page is not None and (index == 0 or entries[index - 1].page != page)


def _cut(text: str) -> str:
    return text if len(text) <= SHOWN else text[: SHOWN - 1].rstrip() + "…"
