"""Tells text with something to see from text that only looks empty."""

from __future__ import annotations

import unicodedata

_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
_FILLERS = frozenset("\u034f\u115f\u1160\u2800\u3164\uffa0")
"""Characters without a shape that Unicode counts as letters, marks or symbols."""


def is_blank(text: str) -> bool:
    """Tell whether a text has spaces, control and format characters alone, or nothing at all."""
    return all(unicodedata.category(character) in _INVISIBLE or character in _FILLERS for character in text)
