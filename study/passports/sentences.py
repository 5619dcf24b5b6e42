"""Finds dates, amounts and places in running text, with what the words around them call them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from study.passports import amounts, dates, identifiers
from study.passports.candidates import Candidate
from study.passports.lexicon import CUES, LABELS, Cue, any_of, normal
from study.passports.values import Kind
from study.passports.windows import Line

NEAR = 70
"""Characters before a value in which the word for it is looked for."""
NEAR_DATE = 40
UNNAMED_DATE, UNNAMED_AMOUNT, OWN_LINE = 30, 25, 74
HEAD_LINES = 30
DATE_NAMES = {"en": "Date", "de": "Datum", "fr": "Date", "es": "Fecha"}
"""What the date that stands alone at the beginning of a letter is called."""
CUE_WEIGHTS = {"start": 78, "end": 72, "due": 76, "signed": 68, "event": 80, "birth": 45, "meeting": 86}

_CUE_BY_WORDS: dict[tuple[str, str], Cue] = {(cue.language, words): cue for cue in CUES for words in cue.words}
_CUE = {
    language: re.compile(
        rf"(?<!\w)(?P<cue>{any_of(words for known, words in _CUE_BY_WORDS if known == language)})\W{{0,3}}"
        r"(?:(?:the|dem|den|le|el|día|on|am|zum)\W{1,2}){0,2}(?:[A-Za-zä]{2,10}(?:day|tag|och|di|che),? (?:den )?)?$",
        re.IGNORECASE,
    )
    for language in ("en", "de", "fr", "es")
}
# Towns and articles before the date of a letter: 'Berlin, den 12. März 2024', 'Fait à Lyon, le 3 mai 2024'.
_DATE_LINE = re.compile(r"(?:[^\W\d_][\w.'-]{0,20}[ ,]{1,2}){0,4}(?:den|le|a|on|the)?\s?", re.IGNORECASE)
_MONEY_WORD = re.compile(
    rf"(?<!\w)(?P<word>{any_of(name for name, label in LABELS.items() if label.kind == Kind.AMOUNT)})(?!\w)",
    re.IGNORECASE,
)
SHORTEST = 4
"""Characters of an identifier in running text: 'section number 12' is none."""
_NUMBER_WORD = re.compile(
    r"(?<!\w)(?P<label>(?:[^\W\d_]{3,20} ){0,2}(?:number|no\.|nummer|nr\.|numéro|n\.?[°º]|número|núm\.|reference|ref\.|"
    r"référence|referencia|aktenzeichen|az\.))\s?:?\s(?=[A-Z0-9])",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"(?:premises|property|dwelling|flat|apartment|house)(?: (?:known as|located at|situated at|at))+ "
    r"(?P<en>[^;(\n]{8,120})"
    r"|(?:Wohnung|Mietobjekt|Räume|Haus|Hause|Grundstück)(?: (?:im Hause|in der|gelegen in|in|im))* "
    r"(?P<de>[A-ZÄÖÜ][^;(\n]{8,120}\d{5} [A-ZÄÖÜ]\w+)"
    r"|(?:situé|sis)e?s?(?: au| à| :)? (?P<fr>[^;(\n]{8,120})"
    r"|(?:sit[oa]|situad[oa]|ubicad[oa])s? en (?P<es>[^;(\n]{8,120})"
)
_ADDRESS_END = re.compile(
    r"(?<=\w{3})\.(?:\s|$)| (?:on|since|from) \d| (?:is|are|was|were|will|shall)\b|,? cadastré"
    r"|,? (?:together|consisting|which|comprising|for use|bestehend|comprenant|composé|pour|con una|en adelante|para)\b"
)
_NEW_SENTENCE = re.compile(r"[.!?]\s+[A-ZÄÖÜ]")


def dates_in(lines: Sequence[Line], order: dates.Order, language: str) -> Iterator[Candidate]:
    """Return the dates in a text: named by words before them, or alone on a line near the beginning, or unnamed."""
    for place, line in enumerate(lines):
        end = 0
        for date in dates.spot(line.text, order):
            before = line.text[max(end, date.start - NEAR_DATE) : date.start]
            label, concept, weight = _named(before, line.text, date, place, language)
            end = date.end
            yield Candidate(Kind.DATE, concept, label, date.value, date.iso, line.page, weight, place)


def amounts_in(lines: Sequence[Line], custom: amounts.Custom) -> Iterator[Candidate]:
    """Return the amounts in a text that have a currency, named by the last word for money before them if it is near."""
    for place, line in enumerate(lines):
        end = 0
        for amount in amounts.spot(line.text, custom):
            before = line.text[max(end, amount.start - NEAR) : amount.start]
            words = list(_MONEY_WORD.finditer(before))
            end = amount.end
            if words and not _NEW_SENTENCE.search(before, words[-1].end()):
                word = words[-1]["word"]
                label = LABELS[normal(word)]
                shown = word[0].upper() + word[1:]
                weight = label.weight - 6
                yield Candidate(
                    Kind.AMOUNT, label.concept, shown, amount.value, amount.normalised, line.page, weight, place
                )
            else:
                yield Candidate(Kind.AMOUNT, "", "", amount.value, amount.normalised, line.page, UNNAMED_AMOUNT, place)


def identifiers_in(lines: Sequence[Line]) -> Iterator[Candidate]:
    """Return the identifiers in running text that a known label stands before: 'under policy number HP 4471'."""
    for place, line in enumerate(lines):
        for match in _NUMBER_WORD.finditer(line.text):
            words = match["label"].split()
            names = (" ".join(words[start:]) for start in range(len(words)))
            name = next((name for name in names if LABELS.get(normal(name))), "")
            label = LABELS.get(normal(name))
            value = identifiers.after_label(line.text[match.end() : match.end() + 60], label.concept if label else "")
            if label and label.kind == Kind.IDENTIFIER and len(value) >= SHORTEST:
                shown = " ".join(words).strip(" .:") if len(words) <= len(name.split()) + 1 else name
                normalised = identifiers.compact(value)
                weight = label.weight - 20
                shown = shown[0].upper() + shown[1:]
                yield Candidate(Kind.IDENTIFIER, label.concept, shown, value, normalised, line.page, weight, place)


def places_in(lines: Sequence[Line], language: str) -> Iterator[Candidate]:
    """Return the property that a contract is about: 'the premises at 12 High Street, London'."""
    if language not in ("en", "de", "fr", "es"):
        return
    for place, line in enumerate(lines):
        for match in _PLACE.finditer(line.text):
            found = match[language]
            end = _ADDRESS_END.search(found) if found else None
            address = (found[: end.start()] if end else found or "").strip(" ,.:")
            if any(char.isdigit() for char in address):
                yield Candidate(Kind.PLACE, "property", "", address, "", line.page, 82, place)


def _named(before: str, line: str, date: dates.Spotted, place: int, language: str) -> tuple[str, str, int]:
    """Return label, concept and weight of a date in a line."""
    cue = _CUE[language].search(before) if language in _CUE else None
    if cue:
        meant = _CUE_BY_WORDS[language, cue["cue"].lower()]
        return meant.label, meant.concept, CUE_WEIGHTS[meant.concept]
    alone = _DATE_LINE.fullmatch(line[: date.start]) and len(line) - date.end <= 3
    if alone and place < HEAD_LINES:
        return DATE_NAMES.get(language, DATE_NAMES["en"]), "date", OWN_LINE
    return "", "", UNNAMED_DATE
