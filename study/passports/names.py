"""Cuts the name of a person or a company out of the words around it."""

from __future__ import annotations

import re

from study.passports.lexicon import PHRASES, any_of

MAX_NAME = 90
MAX_WORDS = 9
MOST_NAMES = 8

_COMPANY = any_of(PHRASES["companies"])
_COMPANY_PART = re.compile(_COMPANY + r"(?!\w)")
# A company's name by its legal form: up to six words in capitals, small ones between them.
_COMPANY_NAME = re.compile(
    r"(?:[A-ZÄÖÜÉÀÈÑ0-9][\w&.'’+-]{0,25},? |(?:de|del|la|y|et|und|and|of|für|&|der|des) ){1,6}" + _COMPANY + r"(?!\w)"
)
_FORM_FIRST = re.compile(r"(?:SARL|SAS|SCI|EURL|SA|Société|Fa\.|Firma) [A-ZÉÈÀ][^,;|(\n]{2,50}")
# 'M. Paul Weber' and 'D. Vicente Ferrer' are Mr and Don; 'M. Farrow' is an initial.
_ABBREVIATED = r"[MD]\.(?=\s\w+\s[^\W\d_])"
_COURTESY = re.compile(
    rf"(?:(?:{any_of(PHRASES['courtesies'])}|[Ll]a(?=\sSCI|\sSARL|\sSAS|\sSA\s))\s+)+|{_ABBREVIATED}\s+"
)
_COURTESIES = frozenset(PHRASES["courtesies"])
# Where a name ends and what is said of it begins; the full stops of 'Anna M. Berg' and 'Dr. Berg' are no ends.
_END = re.compile(
    r"\s*[;(|·<\[“”\"„«»\t]|\s[•–—-]\s|\s{2,}|,\s?(?=\d)|:\s|\s\d{4}|(?<![A-Z])(?<!Dr)(?<!St)(?<!Prof)\.\s|"
    rf"\s(?:of|at)(?=\s\d)|\s{any_of(PHRASES['after_names'])}\b"
)
_SMALL = frozenset(PHRASES["within_names"])
_NO_NAMES = frozenset(PHRASES["no_names"])
_AROUND = " \t*_-–—:,.•·„“”«»\"'"
_SEPARATORS = re.compile(r"\s*[;,\n]\s*(?![^()]{0,60}\))|\s+(?:and|und|et|y|sowie)\s+(?=[A-ZÄÖÜÉ])")
_CONJUNCTION = re.compile(r"\s(?:and|und|et|y)\s")
_ADDRESS = re.compile(r"\s*<?[\w.+-]{1,64}@[\w.-]{1,100}>?")


def name_in(text: str) -> str:
    """Return the name that a text begins with, '' if it begins with something else.

    Forms of address are left out, as are addresses, dates of birth and roles after the name. 'Foo, Inc.' and
    'Godwin, David P' stay whole.
    """
    text = " ".join(text.split()).lstrip(_AROUND).rstrip(_AROUND.replace(".", ""))
    courtesy = _COURTESY.match(text)
    text = text[courtesy.end() if courtesy else 0 :][: MAX_NAME * 2]
    end = _END.search(text)
    name = _before_comma(text[: end.start()] if end else text).strip(_AROUND)
    if not is_name(name) or name in _COURTESIES:
        return ""
    # The full stop of 'S.A.R.L.' belongs to the name, that of a sentence does not.
    stopped = text.startswith(name + ".") and _COMPANY_PART.fullmatch(name.split()[-1] + ".")
    return (name + "." if stopped else name)[:MAX_NAME]


def is_name(text: str) -> bool:
    """Tell whether a text can be the name of somebody: few words, the most in capitals, and no sentence."""
    words = text.split()
    if not 1 <= len(words) <= MAX_WORDS or len(text) < 2 or words[0].casefold() in _NO_NAMES:
        return False
    if not any(char.isalpha() for char in text) or sum(char.isdigit() for char in text) > len(text) // 3:
        return False
    if not words[0][0].isupper() and not _COMPANY_PART.search(text):
        return False
    return all(word[0].isupper() or word[0].isdigit() or _is_small(word) for word in words)


def _is_small(word: str) -> bool:
    return word.casefold().rstrip(".'’") in _SMALL or bool(_COMPANY_PART.fullmatch(word))


def people_in(text: str) -> list[str]:
    """Return the one or the two who stand before what is said of them: 'Daniel Okafor and Priya Nair, both of …'."""
    name = name_in(text)
    halves = _CONJUNCTION.split(name)
    two = len(halves) == 2 and not _COMPANY_PART.search(name) and all(len(half.split()) > 1 for half in halves)
    return [name_in(half) for half in halves] if two else [name] if name else []


def names_in(text: str) -> list[str]:
    """Return the names in a list of people, as after 'Present:', at most eight; notes in brackets are left out."""
    names = [name_in(part) for part in _SEPARATORS.split(text[:1000]) if part.strip()]
    return list(dict.fromkeys(name for name in names if name))[:MOST_NAMES]


def correspondents_in(text: str) -> list[str]:
    """Return those whom a mail is from or to, by name where it is given, else by address."""
    people = []
    for part in re.split(r"\s*[;,]\s*", text[:1000]):
        name = _ADDRESS.sub("", part).strip(" \"'<>")
        address = _ADDRESS.search(part)
        if name or address:
            people.append(name if is_name(name) else (address[0].strip(" <>") if address else ""))
    return list(dict.fromkeys(person for person in people if person))[:MOST_NAMES]


def company_in(text: str) -> str:
    """Return the company that a short line begins with, by its legal form; '' if there is none."""
    match = _COMPANY_NAME.match(text[: MAX_NAME * 2]) or _FORM_FIRST.fullmatch(text[:MAX_NAME])
    name = match[0] if match else ""
    # 'La SCI' alone is no name.
    return "" if len(name.split()) == 2 and name.split()[0] in ("La", "Le", "Die", "The") else name


def _before_comma(text: str) -> str:
    """Cut at the first comma, unless what follows belongs to the name."""
    head, comma, tail = (part.strip() for part in text.partition(","))
    company = _COMPANY_PART.match(tail)
    if company:
        return f"{head}, {company[0]}"
    inverted = comma and len(head.split()) == 1 and len(tail.split()) <= 2 and "," not in tail and is_name(tail)
    return f"{head}, {tail}" if inverted else head
