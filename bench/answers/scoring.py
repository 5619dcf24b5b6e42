"""Judges an answer against what its question expects, by words alone."""

from __future__ import annotations

import re
from collections.abc import Sequence

Group = Sequence[str]

_PLAIN = str.maketrans(
    {
        **dict.fromkeys("‘’‛ʼ", "'"),
        **dict.fromkeys("“”", '"'),
        **dict.fromkeys("‐‑‒–—−\ufffe", "-"),
        **dict.fromkeys("\u00ad\u200b\ufeff", None),
    }
)
_EMPHASIS = re.compile(r"\*\*|__|`")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def plain(text: str) -> str:
    """Return a text in lower case with plain quotes, dashes and spaces, without emphasis and commas in numbers."""
    bare = _EMPHASIS.sub("", text.translate(_PLAIN))
    return " ".join(_THOUSANDS.sub("", bare).split()).lower()


def missing(expect: Sequence[Group], answer: str) -> list[Group]:
    """Return the groups of which the answer has no alternative."""
    said = plain(answer)
    return [group for group in expect if not any(plain(alternative) in said for alternative in group)]


def is_right(expect: Sequence[Group], answer: str) -> bool:
    """Tell whether an answer has an alternative of every group; no words are no answer."""
    return bool(plain(answer)) and not missing(expect, answer)


def inside_a_number(expect: Sequence[Group], answer: str) -> bool:
    """Tell whether a right answer is so only because a figure stands within a longer one: 14 in 2014."""
    said = plain(answer)
    whole = all(any(_stands_alone(alternative, said) for alternative in group) for group in expect)
    return is_right(expect, answer) and not whole


def named(words: Sequence[str], answer: str) -> list[str]:
    """Return the words that an answer has."""
    said = plain(answer)
    return [word for word in words if plain(word) in said]


def _stands_alone(alternative: str, said: str) -> bool:
    wanted = plain(alternative)
    before = r"(?<!\d)(?<!\d\.)" if wanted[:1].isdigit() else ""
    after = r"(?!\d)(?!\.\d)" if wanted[-1:].isdigit() else ""
    return re.search(before + re.escape(wanted) + after, said) is not None
