"""Finds who takes part: by the sides that contracts name, in letters by greeting and signature, by letterheads."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from study.passports.candidates import Candidate
from study.passports.lexicon import PHRASES, ROLES, any_of
from study.passports.names import company_in, correspondents_in, name_in, names_in, people_in
from study.passports.pairs import LISTS, Pair, look_up
from study.passports.values import Kind
from study.passports.windows import Line

PREAMBLE = 8_000
"""Characters in which a contract introduces its sides."""
MAILS = ("from", "to", "cc")
LETTERHEAD = 14
"""Lines at the beginning, and half as many at the end, among which a company's own is looked for."""

_WORD = re.compile(r"[^\W\d_]{4,24}")
_ARTICLE = rf"(?:{any_of(PHRASES['articles'])}\s?)?"
# Directly before a role that is given here: 'the "Landlord"', '(der Mieter)', '– nachfolgend Vermieter genannt –'.
_GIVEN = re.compile(
    rf"(?:(?:[(,–-]\s?)?(?:{any_of(PHRASES['introductions'])}\W{{1,3}}(?:\w{{1,12}}\W{{1,3}}){{0,3}}?)?[\"“„«‘'»(]\s?{_ARTICLE}"
    rf"|{any_of(PHRASES['introductions'])}\W{{1,3}}(?:\w{{1,12}}\W{{1,3}}){{0,3}}?{_ARTICLE})$",
    re.IGNORECASE,
)
_REACH = 70
"""Characters before a role in which it is given: 'hereinafter jointly referred to as the "'."""
# After the last of these in the text before a role stands the name.
_OPENING = re.compile(rf"(?<!\w){any_of(PHRASES['openings'])}\s?[,:]?\s+", re.IGNORECASE)
_AND = re.compile(rf"(?:^|[\n,.;)]\s*){any_of(PHRASES['conjunctions'])}[,:]?\s+", re.IGNORECASE)
_NUMBERED = re.compile(rf"\W*(?:\(?[0-9a-d][.)]\s+)?(?:{any_of(PHRASES['conjunctions'])}[,:]?\s+)?", re.IGNORECASE)

_GREETING = re.compile(any_of(PHRASES["greetings"]) + r"(?!\w)")
_FAREWELL = re.compile(any_of(PHRASES["farewells"]) + r"[,.!]?$", re.IGNORECASE)
_ADDRESS_LINE = re.compile(r"\b(?:[A-Z]{1,2}\d[\dA-Z]? \d[A-Z]{2}|\d{4,5} [A-ZÄÖÜÉ]\w+|[A-Z]{2} \d{5})")
_WORDS_FOR = {
    "en": ("From", "To"),
    "de": ("Absender", "Empfänger"),
    "fr": ("Expéditeur", "Destinataire"),
    "es": ("Remitente", "Destinatario"),
}


def labelled(pair: Pair) -> Iterator[Candidate]:
    """Return those whom a labelled value names."""
    label = pair.label
    if label is None:
        return
    if pair.concept in MAILS and ("@" in pair.value or ";" in pair.value):
        names = correspondents_in(pair.value)
    elif pair.concept in LISTS:
        names = names_in(pair.value)
    else:
        names = people_in(pair.value)
    # 'K. Lund, Secretary': a part that somebody plays is no name.
    for number, name in enumerate(name for name in names if look_up(name) is None):
        yield Candidate(Kind.PARTY, pair.concept, pair.name, name, name, pair.page, label.weight - number, pair.place)


def introduced(lines: Sequence[Line]) -> Iterator[Candidate]:
    """Return the sides that a contract introduces: '… between Anna Berg, of … ("the Landlord") and …'."""
    starts, text = _preamble(lines)
    seen: set[str] = set()
    end = 0
    for start, role in _roles(text):
        label = ROLES[role.casefold()]
        given = _GIVEN.search(text, max(end, start - _REACH), start)
        if given is None:
            continue
        names = [] if label.concept in seen else _introduced_names(text[end : given.start()])
        end = start + len(role)
        place = bisect_right(starts, start) - 1
        shown = role[0].upper() + role[1:]
        for name in names:
            seen.add(label.concept)
            yield Candidate(Kind.PARTY, label.concept, shown, name, name, lines[place].page, label.weight, place)


def corresponding(lines: Sequence[Line], language: str) -> Iterator[Candidate]:
    """Return the writer of a letter, by the signature, and the addressee, by the block of lines over the text."""
    greeting = next((index for index, line in enumerate(lines[:60]) if _GREETING.match(line.text)), None)
    if greeting is None:
        return
    sender_name, addressee_name = _WORDS_FOR.get(language, _WORDS_FOR["en"])
    farewell = next((index for index in range(len(lines) - 1, greeting, -1) if _takes_leave(lines[index])), len(lines))
    blocks = _addresses(lines[:greeting])
    sender = next((at for at in range(farewell + 1, min(farewell + 4, len(lines))) if _is_signature(lines[at])), None)
    if sender is None and len(blocks) > 1:
        sender = blocks[0]
    if sender is not None:
        name = name_in(lines[sender].text)
        yield Candidate(Kind.PARTY, "from", sender_name, name, name, lines[sender].page, 86, sender)
    if blocks and (len(blocks) > 1 or blocks[0] > 0):
        name = name_in(lines[blocks[-1]].text)
        yield Candidate(Kind.PARTY, "to", addressee_name, name, name, lines[blocks[-1]].page, 85, blocks[-1])


def is_letter(lines: Sequence[Line]) -> bool:
    """Tell whether a text greets somebody and takes leave of them."""
    greets = any(_GREETING.match(line.text) for line in lines[:60])
    return greets and any(map(_takes_leave, lines[-40:]))


def _takes_leave(line: Line) -> bool:
    return _FAREWELL.search(line.text[-60:]) is not None


def letterheads(lines: Sequence[Line]) -> Iterator[Candidate]:
    """Return companies that stand by themselves at the beginning or the end, whose part nothing states."""
    ends = range(max(LETTERHEAD, len(lines) - LETTERHEAD // 2), len(lines))
    for index in [*range(min(LETTERHEAD, len(lines))), *ends]:
        name = company_in(lines[index].text)
        if name:
            yield Candidate(Kind.PARTY, "company", "", name, name, lines[index].page, 52, index)


def _roles(text: str) -> Iterator[tuple[int, str]]:
    """Return the words for sides of a contract in a text, with their places; those of two words before those of one."""
    words = list(_WORD.finditer(text))
    for index, word in enumerate(words):
        both = text[word.start() : words[index + 1].end()] if index + 1 < len(words) else ""
        role = both if both.casefold() in ROLES else word[0]
        if role.casefold() in ROLES:
            yield word.start(), role


def _preamble(lines: Sequence[Line]) -> tuple[list[int], str]:
    """Return the beginning of a document as one text, with the offset of each line in it."""
    starts, length = [], 0
    for line in lines:
        if length > PREAMBLE:
            break
        starts.append(length)
        length += len(line.text) + 1
    return starts, "\n".join(line.text for line in lines[: len(starts)])[:PREAMBLE]


def _introduced_names(before: str) -> list[str]:
    """Return who is named in the text between the role before and this one."""
    before = before[-1000:]
    marks = list(_OPENING.finditer(before)) or list(_AND.finditer(before))
    segment = before[marks[-1].end() if marks else 0 :]
    for line in segment.split("\n"):
        numbered = _NUMBERED.match(line)
        names = people_in(line[numbered.end() if numbered else 0 :])
        if names:
            return names
    return []


def _is_signature(line: Line) -> bool:
    return len(name_in(line.text).split()) > 1


def _addresses(before: Sequence[Line]) -> list[int]:
    """Return the lines that name somebody over their address: the first of each block that has a line with a town."""
    blocks: list[list[int]] = []
    for index, line in enumerate(before):
        if line.after_gap or not blocks:
            blocks.append([])
        blocks[-1].append(index)
    with_town = [block for block in blocks if any(_ADDRESS_LINE.search(before[index].text) for index in block)]
    named = (next((index for index in block if name_in(before[index].text)), None) for block in with_town)
    return [index for index in named if index is not None]
