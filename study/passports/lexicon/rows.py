"""Reads the words of the lexicon, which are kept as data beside this module, in four languages."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from study.passports.values import Kind

LANGUAGES = ("en", "de", "fr", "es")

_BRACKETS = re.compile(r"\([^()]{0,40}\)|\[[^\[\]]{0,40}\]")
_PERCENT = re.compile(r"\d{1,3}(?:[.,]\d{1,2})? ?%")
# 'Mieter/in', 'Vermieter*innen', 'arrendatario/a', 'locataire·s': one label for both.
_GENDERS = re.compile(r"(?<=\w)(?:[/*:·]-?|/ ?)(?:innen|in|nen|a|as|os|e|s|es|ne|rice|euse)\b")
_NUMBER_SIGN = re.compile(r"\bn[. ]{0,2}[°ºª]")
_NOT_WORDS = re.compile(r"[^\w&/°#']+")


@dataclass(frozen=True)
class Label:
    """What a label means. `kind` None: part of a form, whose value shows by itself whether it is a date or an amount.

    `weight` is how much the value tells about the document, 0 to 100. `bare` labels count without a colon, too; a
    `role` is a side of a contract, which the text names as well: 'hereinafter the "Landlord"'.
    """

    kind: Kind | None
    concept: str
    weight: int
    bare: bool
    role: bool
    languages: frozenset[str]


@dataclass(frozen=True)
class Type:
    """How a type of document shows, all in small letters."""

    name: str
    titles: tuple[str, ...]
    words: tuple[str, ...]
    concepts: tuple[str, ...]
    endings: tuple[str, ...]


@dataclass(frozen=True)
class Cue:
    """Words that stand before a date in a sentence, and the label that it gets for them."""

    concept: str
    language: str
    label: str
    words: tuple[str, ...]


def normal(label: str) -> str:
    """Return a label as it is looked up: small letters, no brackets, no percentages, no punctuation but ° & / # '."""
    text = label.replace("’", "'").casefold()
    # Most labels are plain words: each of these is asked for only where its sign is there.
    if "(" in text or "[" in text:
        text = _BRACKETS.sub(" ", text)
    if "%" in text:
        text = _PERCENT.sub(" ", text)
    if "°" in text or "º" in text or "ª" in text:
        text = _NUMBER_SIGN.sub("n°", text)
    if any(sign in text for sign in "/*:·"):
        text = _GENDERS.sub("", text)
    return " ".join(_NOT_WORDS.sub(" ", text).split())


def read_labels(*files: str) -> dict[str, Label]:
    """Return the labels in some files by their normal form; of two meanings the later one counts."""
    labels: dict[str, Label] = {}
    for concept, table in (item for file in files for item in _table(file).items()):
        for language, name in _names(table):
            label = Label(
                kind=Kind(table["kind"]) if table["kind"] else None,
                concept=concept,
                weight=table["weight"],
                bare=table.get("bare", True),
                role=table.get("role", False),
                languages=frozenset((language,)),
            )
            same = labels.get(name)
            labels[name] = replace(label, languages=label.languages | (same.languages if same else frozenset()))
    return labels


def read_types() -> tuple[Type, ...]:
    """Return the types of documents, special ones first."""
    return tuple(
        Type(
            name=table["name"],
            titles=_words(table.get("titles", "")),
            words=_words(table.get("words", "")),
            concepts=_words(table.get("concepts", "")),
            endings=_words(table.get("endings", "")),
        )
        for table in _table("types.toml").values()
    )


def read_cues() -> tuple[Cue, ...]:
    """Return the cues for dates."""
    return tuple(
        Cue(cue["concept"], cue["language"], cue["label"], _words(cue["words"])) for cue in _table("cues.toml")["cue"]
    )


def read_months() -> dict[str, int]:
    """Return the numbers of the months by their names in all languages; no name means two of them."""
    return {
        name: number
        for names in _table("months.toml").values()
        for number, month in enumerate(_words(names), start=1)
        for name in month.split()
    }


def read_phrases() -> dict[str, tuple[str, ...]]:
    """Return turns of phrase by what they are for."""
    return {name: _words(phrases) for name, phrases in _table("phrases.toml").items()}


def any_of(phrases: Iterable[str]) -> str:
    """Return the pattern of any of some phrases, the longest first; white space in them may be any."""
    longest_first = sorted(phrases, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(phrase).replace(r"\ ", r"\s") for phrase in longest_first) + ")"


def _table(file: str) -> dict[str, Any]:
    return tomllib.loads((Path(__file__).parent / file).read_text(encoding="utf-8"))


def _names(table: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for language in LANGUAGES:
        for name in _words(table.get(language, "")):
            yield language, normal(name)


def _words(text: str) -> tuple[str, ...]:
    """Return words and phrases that are separated by commas, possibly over several lines."""
    phrases = (" ".join(phrase.split()) for phrase in text.split(","))
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))
