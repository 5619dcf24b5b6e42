"""Holds a summary to its document: every number, date and identifier of it must occur there.

A small model copies names well and figures badly. A figure can be checked, so a sentence with one that the document
lacks is dropped: what is left is true in this respect by construction.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from study.sentences import sentences, without_marks

_MONTHS: dict[str, int] = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier enero ene gennaio januari janeiro",
            "february feb februar février fevrier février febrero febbraio februari fevereiro",
            "march mar märz maerz mars marzo maart março marco",
            "april apr avril abril aprile",
            "may mai mayo maggio mei maio",
            "june jun juni juin junio giugno junho",
            "july jul juli juillet julio luglio julho",
            "august aug août aout agosto augustus",
            "september sep sept septembre septiembre settembre setembro",
            "october oct oktober okt octobre octubre ottobre outubro",
            "november nov novembre noviembre novembro",
            "december dec dezember dez décembre decembre diciembre dicembre dezembro",
        ),
        start=1,
    )
    for name in names.split()
}
_WORDS: dict[str, str] = {
    word: str(number)
    for number, words in enumerate(
        (
            "one ein eine einem einen eins un une uno una",
            "two zwei deux dos due",
            "three drei trois tres tre",
            "four vier quatre cuatro quattro",
            "five fünf cinq cinco cinque",
            "six sechs seis sei",
            "seven sieben sept siete sette",
            "eight acht huit ocho otto",
            "nine neun neuf nueve nove",
            "ten zehn dix diez dieci",
            "eleven elf onze once undici",
            "twelve zwölf douze doce dodici",
        ),
        start=1,
    )
    for word in words.split()
}
_MONTH = "(?P<month>" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th|\.|º|er)?"
_YEAR = r"(?P<year>\d{4})"
_WRITTEN = [
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_DAY}(?:\s+(?:of|de|di))?\s+{_MONTH}(?:\s+(?:of|de|del|di))?,?\s+{_YEAR}\b",
        rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}\b",
        rf"\b{_MONTH}(?:\s+(?:of|de|del|di))?,?\s+{_YEAR}\b",
        rf"\b{_DAY}(?:\s+(?:of|de|di))?\s+{_MONTH}\b",
        rf"\b{_MONTH}\s+{_DAY}\b(?!,?\s*\d)",
    )
]
_NUMERIC = re.compile(r"\b(\d{4})-(\d{1,2})-(\d{1,2})\b|\b(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})\b")
_TOKEN = re.compile(r"[^\W_]*\d(?:[.,:'’](?=\d)|[-/](?=[^\W_])|[^\W_])*")
_WITH_UNIT = re.compile(r"[\d.,:'’]+[^\W\d_]{0,3}")
_NUMBER = re.compile(r"\d+(?:[.,:'’]\d+)*")
_SPACED = re.compile(r"(?<![\d.,:/-])\d{1,3}(?:[ \u00a0\u202f]\d{3})+(?!\d)")
SHORTEST_IDENTIFIER = 4
"""Characters from which on a run of digits and marks is found as a whole, however it is punctuated."""

Day = tuple[int | None, int | None, int | None]
"""Year, month, day; None where it does not say."""


@dataclass(frozen=True)
class Values:
    """What a text has of numbers (digits alone), dates and identifiers."""

    numbers: frozenset[str]
    days: frozenset[Day]
    joined: str

    @classmethod
    def of(cls, text: str) -> Values:
        """Find the values of a text."""
        words = (word.casefold() for word in re.findall(r"[^\W\d_]+", text))
        written = [*_NUMBER.findall(text), *_SPACED.findall(text)]
        numbers = {form for number in written for form in _forms(number)}
        numbers |= {_WORDS[word] for word in words if word in _WORDS}
        days = {day for _, readings in _dates(text) for day in readings}
        return cls(frozenset(numbers), frozenset(days), _joined(text))

    def lacks(self, sentence: str) -> list[str]:
        """Return the numbers, dates and identifiers of a sentence that are not among these."""
        missing = []
        rest = sentence
        for written, readings in _dates(sentence):
            if not any(self._has_day(day) for day in readings) and _joined(written) not in self.joined:
                missing.append(written)
            rest = rest.replace(written, " ", 1)
        for token in _SPACED.findall(rest):
            if self._has_number(token):
                rest = rest.replace(token, " ", 1)
        for token in _TOKEN.findall(rest):
            rest = rest.replace(token, " ", 1)
            missing += self._of_token(token)
        return missing

    def _of_token(self, token: str) -> list[str]:
        """Return what is missing of a run of letters and digits: the whole of an identifier, else its numbers."""
        if len(token) >= SHORTEST_IDENTIFIER and _joined(token) in self.joined:
            return []
        pieces = re.split(r"[-/]", token)
        if len(pieces) > 1:
            return [missing for piece in pieces if any(map(str.isdigit, piece)) for missing in self._of_token(piece)]
        if not _WITH_UNIT.fullmatch(token):
            return [] if _joined(token) in self.joined else [token]
        return [number for number in _NUMBER.findall(token) if not self._has_number(number)]

    def _has_number(self, number: str) -> bool:
        return not self.numbers.isdisjoint(_forms(number))

    def _has_day(self, wanted: Day) -> bool:
        return any(
            all(mine is None or mine == theirs for mine, theirs in zip(wanted, day, strict=True)) for day in self.days
        )


@dataclass(frozen=True)
class Checked:
    """A text without the sentences that had to go, and these with what was wrong in each."""

    text: str
    dropped: tuple[tuple[str, tuple[str, ...]], ...] = ()


def held_to(text: str, values: Values) -> Checked:
    """Return a text without the sentences that have a value which is not among `values`."""
    kept, dropped = [], []
    for sentence in sentences(text):
        if missing := values.lacks(without_marks(sentence)):
            dropped.append((sentence, tuple(missing)))
        else:
            kept.append(sentence)
    return Checked(" ".join(kept), tuple(dropped))


def _forms(number: str) -> set[str]:
    """Return the digits of a number without leading zeros, and without decimals that say nothing: 950.00 is 950."""
    digits = re.sub(r"\D", "", number).lstrip("0") or "0"
    whole = re.fullmatch(r"(.*\d)[.,]0{1,2}", number)
    return {digits, re.sub(r"\D", "", whole[1]).lstrip("0") or "0"} if whole else {digits}


def _joined(text: str) -> str:
    return "".join(char for char in text.upper() if char.isalnum())


def _dates(text: str) -> list[tuple[str, tuple[Day, ...]]]:
    """Return the dates of a text as written, each with its possible readings; the longest form of each counts."""
    found: list[tuple[int, int, str, tuple[Day, ...]]] = []
    for pattern in _WRITTEN:
        for match in pattern.finditer(text):
            _add(found, match, (_written(match),))
    for match in _NUMERIC.finditer(text):
        _add(found, match, _numeric(match))
    return [(written, readings) for _, _, written, readings in sorted(found)]


def _add(found: list[tuple[int, int, str, tuple[Day, ...]]], match: re.Match[str], readings: tuple[Day, ...]) -> None:
    start, end = match.span()
    if readings and all(end <= first or start >= last for first, last, _, _ in found):
        found.append((start, end, match[0], readings))


def _written(match: re.Match[str]) -> Day:
    groups = match.groupdict()
    year, day = groups.get("year"), groups.get("day")
    return (int(year) if year else None, _MONTHS[match["month"].casefold()], int(day) if day else None)


def _numeric(match: re.Match[str]) -> tuple[Day, ...]:
    """Return the readings of a date in figures: day or month first, where that can be."""
    if match[1]:
        return ((int(match[1]), int(match[2]), int(match[3])),)
    first, second, year = int(match[4]), int(match[5]), int(match[6])
    year += 0 if year > 99 else (2000 if year < 70 else 1900)
    readings = ((year, second, first), (year, first, second))
    return tuple((year, month, day) for year, month, day in readings if 1 <= month <= 12 and 1 <= day <= 31)
