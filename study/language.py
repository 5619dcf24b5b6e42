"""Tells which language a text is in, by its alphabet and by the small words that every sentence needs."""

from __future__ import annotations

import re
from collections import Counter

SAMPLE = 6_000
"""Characters looked at; longer texts are judged by their beginning and their middle."""

# Words that are frequent in one language and, as far as possible, in no other of these. A word that several share
# counts for each of them, so it decides nothing by itself.
_FUNCTION_WORDS = {
    "en": (
        "the and of to in is was were that for with on by this are be from at which it as or have has not an "
        "he she they what who when where how did does do his her their its you your our my me will shall "
        "would been any these there if"
    ),
    "de": (
        "der die das und ist nicht von mit den dem ein eine einen einer eines zu für auf im sich des als auch "
        "wird werden wurde bei nach oder aus dass wir ich sie er es am zum zur über vom was wer wie wann wo "
        "welche welcher hat haben sind war sehr ihr ihre unser mein durch noch kein keine bis"
    ),
    "fr": (
        "le la les et est une un des du de dans que qui pour pas sur par au aux avec ce cette ces il elle "
        "nous vous je ne se sont été être ou où plus son sa ses leur quel quelle quels quelles était avait à "
        "d l qu c n s j y en mais"
    ),
    "es": (
        "el la los las y es una un del de en que por para con no se su sus al lo como más fue está son este "
        "esta pero qué cuál cuáles quién cuándo dónde cómo ha sido entre sin o muy nos le les a hay desde yo "
        "mi usted"
    ),
    "it": (
        "il la le gli lo di e è che un una per con non del della dei delle nel nella sono si al alla da dal "
        "come più anche questo questa ma ha o suo sua i cosa chi quando dove essere stato ed sul"
    ),
    "pt": (
        "o a os as de e é que um uma para com não do da dos das no na nos nas em por se ao à mais como foi "
        "são seu sua ou este esta quem quando onde pelo pela também mas você ter"
    ),
    "nl": (
        "de het een en van is niet in op te dat die voor met zijn aan er om ook als bij naar uit of deze dit "
        "wordt werd door heeft hebben wij ik je u maar wat wie waar hoe onder over tot geen haar hun"
    ),
    "sv": (
        "och att det som en ett är på av för med den till inte har de om var jag vi från eller kan ska men så "
        "vad vem när"
    ),
    "da": (
        "og at det som en et er på af for med den til ikke har de om var jeg vi fra eller kan skal men så hvad hvem når"
    ),
    "pl": (
        "i w na z do nie się jest że o to jak po od za przez dla oraz który która są był była co kto gdzie czy ale lub"
    ),
    "cs": (
        "a v na se je že s z do o k i to jako po od za pro by který která jsou byl byla co kdo kde nebo ale podle při"
    ),
    "tr": (
        "ve bir bu için ile de da olarak olan ne gibi daha çok en var ama ben o kim nerede nasıl değil veya kadar sonra"
    ),
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _FUNCTION_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)

# Letters that one of these languages uses and hardly any other: worth as much as a word each.
_LETTERS = {
    "ß": "de",
    "ñ": "es",
    "¿": "es",
    "¡": "es",
    "œ": "fr",
    "ã": "pt",
    "õ": "pt",
    "ğ": "tr",
    "ı": "tr",
    "ł": "pl",
}
_LETTERS |= {"ř": "cs", "ů": "cs", "ě": "cs", "æ": "da", "ø": "da"}

_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("zh", re.compile("[\u4e00-\u9fff]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("he", re.compile("[\u0590-\u05ff]")),
    ("ar", re.compile("[\u0600-\u06ff]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
    # Of the languages written in Cyrillic letters these two are told apart; others are not claimed to be either.
    ("uk", re.compile("[іїєґ]")),
    ("ru", re.compile("[ыэё]")),
)
_WORD = re.compile(r"[^\W\d_]{1,20}")
_LATIN = re.compile("[a-zà-ž]")
SURE = 1.25
"""The best language must have this many times the points of the next."""


def language_of(text: str) -> str:
    """Return the ISO 639-1 code of the language that most of a text is in, '' when unsure; looks at a bounded sample.

    A short question is enough where its words are typical of one language.
    """
    sample = _sample(text).lower()
    return _by_script(sample) or _by_words(sample)


def _sample(text: str) -> str:
    if len(text) <= SAMPLE:
        return text
    middle = len(text) // 2
    return text[: SAMPLE // 2] + " " + text[middle : middle + SAMPLE // 2]


def _by_script(sample: str) -> str:
    """Return the language of a text mostly in letters other than Latin ones."""
    latin = len(_LATIN.findall(sample))
    for language, letters in _SCRIPTS:
        found = len(letters.findall(sample))
        # Signs of languages without spaces, and of Cyrillic ones only a few letters, stand for more than a letter each.
        if found and found * 4 > latin:
            return language
    return ""


def _by_words(sample: str) -> str:
    words = Counter(_WORD.findall(sample))
    points: Counter[str] = Counter()
    for word, count in words.items():
        languages = _LANGUAGES_OF.get(word, ())
        for language in languages:
            points[language] += count * (6 // min(len(languages), 6))
    for letter, language in _LETTERS.items():
        points[language] += 6 * min(sample.count(letter), 20)
    ranked = points.most_common(2)
    # A table of names has a stray 'de' or 'o' in it: one word in twenty is the least that sentences have.
    if not ranked or ranked[0][1] < max(6, words.total() * 6 // 20):
        return ""
    best, most = ranked[0]
    # Single letters count the paragraphs in any language.
    if not any(len(word) > 1 and best in _LANGUAGES_OF.get(word, ()) for word in words):
        return ""
    return best if len(ranked) == 1 or most >= SURE * ranked[1][1] else ""
