"""Comparing words as people do: case and accents make no difference."""

from __future__ import annotations

import unicodedata


def folded_letters(text: str) -> str:
    """Return text without case and accents: 'RÉSUMÉ' and 'resume' are the same."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(character for character in letters if not unicodedata.combining(character))
