"""Telling a text layer that says what the page shows from one that is garbled."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

MOST_LOST = 0.15
"""The share of characters without a meaning: bullets of symbol fonts stay far below, a broken map lies far above."""
LEAST_CHARACTERS = 20
"""What is judged; a stamp or a page number is not."""
LEAST_WORDS = 20
"""Words of four letters and more that can be judged; a list of codes may be as short."""
MOST_ODD = 0.15
"""The share of such words that nobody could say aloud: in most languages it is below 0.05, in German up to 0.2."""
LEAST_COMMON = 0.02
"""The share of the commonest words: running text in any of their languages has more, often ten times as many."""
MOST_MIXED = 0.3
"""The share of words that mix alphabets."""
AGREEMENT = 0.5
"""The share of words read by OCR that must be in a text layer for it to be right."""

REPLACEMENT = "\ufffd"

_WORD = re.compile(r"[^\W\d_]{3,}")
_TOKEN = re.compile(r"\w+")
# Joined consonants: "Wirtschaft" and "Angstschweiß" have five and more, so that alone is no proof.
_CONSONANTS = re.compile(r"[bcdfghjklmnpqrstvwxzß]{5}")
_VOWELS = frozenset("aeiouyæœøıə")
_MEANINGLESS = frozenset({"Cc", "Cn", "Co", "Cs"})
_LAID_OUT = frozenset("\t\n\r\f")
_ONE_WRITING = {"HIRAGANA": "CJK", "KATAKANA": "CJK", "KATAKANA-HIRAGANA": "CJK", "HALFWIDTH": "CJK", "BOPOMOFO": "CJK"}
_SIGNS = frozenset({"MICRO", "OHM", "KELVIN", "ANGSTROM", "FEMININE", "MASCULINE", "MODIFIER", "FULLWIDTH"})
"""First words of the names of letters that stand among any others."""

_COMMON = """
the and that for with from this are was not have
der die das und ist von den mit des ein eine auf für nicht dem sich
les des est une que pour dans par sur qui pas avec
los las del por con una para como más
che non per della una sono del nel alla gli
uma não com para dos das mais
het een van dat voor zijn niet aan met
nie się jest jak oraz dla przez
není jako pro ale nebo jsou při
och att det som för den inte till har
til for med ikke den fra
että oli mutta kun tai joka sekä
bir için ile olarak daha
hogy nem egy van csak
este din care sau pentru
không được trong một các của
yang dan untuk dengan ini tidak dari dalam
"""
COMMON = frozenset(_COMMON.split())
"""Words of three letters and more that no page of running text lacks, in some twenty languages with Latin letters."""


def visible(text: str) -> int:
    """Return how many characters of a text are to be seen."""
    return sum(not character.isspace() for character in text)


def is_garbled(text: str) -> bool:
    """Tell whether a text layer is surely not what the page shows.

    It is not when many characters mean nothing, when words mix alphabets, or when words in Latin letters cannot be said
    aloud while the commonest words of the languages that use them are missing. Anything else is let pass: numbers,
    identifiers, every script. To find that a page was right after all costs one reading by OCR (`agree`).
    """
    if visible(text) < LEAST_CHARACTERS:
        return False
    return _share_lost(text) >= MOST_LOST or _mixes_alphabets(text) or _cannot_be_said(text)


def agree(layer: str, recognised: str) -> bool:
    """Tell whether a text layer has the words that were read from the picture of its page."""
    words = [word.casefold() for word in _TOKEN.findall(recognised) if len(word) > 2]
    known = {word.casefold() for word in _TOKEN.findall(layer)}
    return bool(words) and sum(word in known for word in words) >= AGREEMENT * len(words)


def replaced(text: str) -> int:
    """Return how many characters of a text stand for ones that were lost."""
    return text.count(REPLACEMENT)


def _share_lost(text: str) -> float:
    lost = sum(
        character == REPLACEMENT or (character not in _LAID_OUT and unicodedata.category(character) in _MEANINGLESS)
        for character in text
    )
    return lost / max(visible(text), lost, 1)


def _mixes_alphabets(text: str) -> bool:
    words = [{_writing(letter) for letter in word} - {""} for word in _WORD.findall(text)]
    return len(words) >= LEAST_WORDS and sum(len(writings) > 1 for writings in words) >= MOST_MIXED * len(words)


@lru_cache(maxsize=4096)
def _writing(letter: str) -> str:
    """Return which alphabet a letter is from; nothing for one that stands among any."""
    first = unicodedata.name(letter, "").partition(" ")[0]
    return "" if first in _SIGNS else _ONE_WRITING.get(first, first)


def _cannot_be_said(text: str) -> bool:
    words = [word for word in _WORD.findall(text) if _writing(word[0]) == "LATIN"]
    long = [word for word in words if len(word) > 3]
    if len(long) < LEAST_WORDS:
        return False
    common = sum(word.casefold() in COMMON for word in words)
    odd = sum(_is_odd(word) for word in long)
    return odd >= MOST_ODD * len(long) and common < LEAST_COMMON * len(words)


@lru_cache(maxsize=4096)
def _is_odd(word: str) -> bool:
    """Tell a word without any vowel, or with many consonants in a row."""
    bare = "".join(unicodedata.normalize("NFD", letter)[0] for letter in word.casefold())
    return not _VOWELS & set(bare) or _CONSONANTS.search(bare) is not None
