"""Comparing words as people do: case and accents make no difference."""

from __future__ import annotations

import unicodedata


def folded_letters(text: str) -> str:
    """Return text without case and accents: 'RÉSUMÉ' and 'resume' are the same."""
    if text.isascii():  # many times faster, and most texts are
        return text.lower()
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in letters if not unicodedata.combining(character))
