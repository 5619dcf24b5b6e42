"""Finds what a document says about itself, by rules, in time that does not grow with its length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from study.language import language_of
from study.passports import amounts, dates, identifiers, parties, sentences
from study.passports.candidates import Candidate
from study.passports.contents import contents_of
from study.passports.pairs import Pair, pairs_of
from study.passports.ranking import ranked
from study.passports.types import Signs, type_of
from study.passports.values import Field, Found, Kind, Section
from study.passports.windows import Line, last_page, lines_of

RULES = 1
"""Version of all the rules: raised whenever they find something else in the same text."""

SILENT = ("contact", "stop")
"""Labels whose values are never fields: telephone numbers, quantities, agendas."""
MENTIONED = 46
"""Weight of a date or an amount beside words that no lexicon has."""
HEADERS = {"from", "to", "subject", "cc", "date"}
SURE_VOTES, SURE_SHARE = 4, 0.75
"""So many labels in a document, and this share of them in one language, are surer than its small words."""
HEADER_LINES = 8


def find(name: str, sections: Sequence[Section], pages: int | None = None) -> Found:
    """Return type, language, fields (the most telling first) and contents of a document.

    `name` is the file's; `pages` its page count if known, else it is the last page with text.
    """
    lines = lines_of(sections)
    text = "\n".join(line.text for line in lines)
    pairs = pairs_of(lines)
    language = _language(text, pairs)
    kind = type_of(_signs(name, sections, lines, pairs))
    fields = [Field(Kind.TYPE, "", kind.name, page=kind.page)]
    if language:
        fields.append(Field(Kind.LANGUAGE, "", language))
    finder = _Finder(lines, text, pairs, language)
    return Found(
        fields=(*fields, *ranked(finder.candidates(kind.name, sections))),
        contents=contents_of(sections, lines),
        pages=pages if pages is not None else last_page(sections),
    )


class _Finder:
    """Goes through a document with every rule."""

    def __init__(self, lines: Sequence[Line], text: str, pairs: Sequence[Pair], language: str) -> None:
        self._lines = lines
        self._text = text
        self._pairs = pairs
        self._language = language
        self._order = dates.order_of((line.text for line in lines), language)
        self._custom = amounts.custom_of(text, language)

    def candidates(self, kind: str, sections: Sequence[Section]) -> Iterator[Candidate]:
        for pair in self._pairs:
            yield from self._labelled(pair)
        yield from parties.introduced(self._lines)
        if kind in ("letter", "invoice"):
            yield from parties.corresponding(self._lines, self._language)
        yield from parties.letterheads(self._lines)
        # A line that is read as label and value is not read again as a sentence.
        yield from sentences.dates_in(self._lines, self._order, self._language)
        yield from sentences.amounts_in(self._lines, self._custom)
        yield from sentences.places_in(self._lines, self._language)
        yield from self._by_form(kind)
        yield from sentences.identifiers_in(self._lines)
        yield from _title(sections)

    def _labelled(self, pair: Pair) -> Iterator[Candidate]:
        if pair.concept in SILENT:
            return
        kind = pair.label.kind if pair.label else None
        if kind == Kind.PARTY:
            yield from parties.labelled(pair)
        elif kind == Kind.IDENTIFIER:
            yield from self._identifier(pair)
        elif kind in (Kind.PLACE, Kind.SUBJECT):
            yield from _text_of(pair, kind)
        elif kind == Kind.DATE:
            yield from self._date(pair)
        elif kind == Kind.AMOUNT:
            yield from self._amount(pair)
        elif pair.colon:
            yield from self._date(pair)
            yield from self._amount(pair)

    def _identifier(self, pair: Pair) -> Iterator[Candidate]:
        value = identifiers.after_label(pair.value, pair.concept)
        if value and not dates.spot(value, dates.Order.UNKNOWN):
            yield _candidate(pair, Kind.IDENTIFIER, value, identifiers.compact(value))

    def _date(self, pair: Pair) -> Iterator[Candidate]:
        spotted = dates.spot(pair.value, self._order)[:2]
        month = None if spotted else dates.month_at_start(pair.value)
        if month and pair.label and pair.label.kind == Kind.DATE:
            spotted = [month]
        # Right after the label, or after a weekday, a town or an article.
        if spotted and spotted[0].start <= (24 if pair.colon else 3) and len(pair.value) - spotted[0].end <= 90:
            period = len(spotted) == 2 and spotted[1].start - spotted[0].end <= 5
            for date in spotted if period else spotted[:1]:
                yield _candidate(pair, Kind.DATE, date.value, date.iso)

    def _amount(self, pair: Pair) -> Iterator[Candidate]:
        known = pair.label is not None and pair.label.kind == Kind.AMOUNT
        amount = next(iter(amounts.spot(pair.value, self._custom)), None)
        if amount and amount.start > (40 if known and pair.colon else 3):
            amount = None
        if amount is None and known:
            amount = amounts.plain_at_start(pair.value, grouped=pair.colon)
        if amount:
            yield _candidate(pair, Kind.AMOUNT, amount.value, amount.normalised)

    def _by_form(self, kind: str) -> Iterator[Candidate]:
        words = len(identifiers.AVIATION.findall(self._text))
        aviation = words >= (1 if kind == "accident report" else 3)
        aircraft = [pair.value for pair in self._pairs if pair.concept == "thing"] if aviation else []
        for place, line in enumerate(self._lines):
            for found in identifiers.spot(line.text, aviation=aviation):
                normalised = identifiers.compact(found.value)
                yield Candidate(
                    Kind.IDENTIFIER,
                    found.concept,
                    found.name,
                    found.value,
                    normalised,
                    line.page,
                    found.weight - 2,
                    place,
                )
            for mark in filter(None, (identifiers.mark_of(line.text, name) for name in aircraft)):
                yield Candidate(Kind.IDENTIFIER, "registration", "Registration", mark, mark, line.page, 86, place)


def _candidate(pair: Pair, kind: Kind, value: str, normalised: str) -> Candidate:
    known = pair.label is not None and pair.label.kind == kind
    weight = pair.label.weight if pair.label and known else MENTIONED
    return Candidate(
        kind, pair.concept or pair.name.casefold(), pair.name, value, normalised, pair.page, weight, pair.place
    )


def _text_of(pair: Pair, kind: Kind) -> Iterator[Candidate]:
    """Return the words after a label as they are; a whole sentence is no name of a place."""
    if any(char.isalnum() for char in pair.value) and len(pair.value) <= 160:
        yield _candidate(pair, kind, pair.value.rstrip("."), "")


def _title(sections: Sequence[Section]) -> Iterator[Candidate]:
    heading = sections[0].heading if sections else ()
    # One word is no more than the type: 'INVOICE'.
    if heading and len(heading[0].split()) > 1 and any(char.isalpha() for char in heading[0]):
        page = sections[0].page_start
        yield Candidate(Kind.SUBJECT, "title", "", " ".join(heading[0].split()), "", page, 70, 0)


def _signs(name: str, sections: Sequence[Section], lines: Sequence[Line], pairs: Sequence[Pair]) -> Signs:
    headers = {pair.concept for pair in pairs if pair.place < HEADER_LINES and pair.colon} & HEADERS
    return Signs(
        name=name,
        lines=lines,
        titles=[heading for section in sections[:1] for heading in section.heading],
        concepts={pair.concept for pair in pairs},
        is_mail={"from", "to"} <= headers and bool(headers & {"subject", "date"}),
        is_letter=parties.is_letter(lines),
    )


def _language(text: str, pairs: Sequence[Pair]) -> str:
    """Return the language of a document: that of its sentences, or of its labels where it has hardly any sentences."""
    votes = [known for pair in pairs if pair.label and len(pair.label.languages) == 1 for known in pair.label.languages]
    best = max(sorted(set(votes)), key=votes.count, default="")
    share = votes.count(best) / max(1, len(votes))
    if len(votes) >= SURE_VOTES and share >= SURE_SHARE:
        return best
    return language_of(text) or (best if votes.count(best) > 1 else "")
