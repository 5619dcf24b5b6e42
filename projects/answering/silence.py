"""Knowing an answer that only says that the documents do not say, also while it is still coming."""

from __future__ import annotations

import re

LONGEST = 140
"""Characters. A longer answer that begins like this goes on to say something."""

_SILENCE = re.compile(
    r"(the|this|these) (\w+ )?(documents?|passages?|texts?|reports?|files?)\b.{0,60}?"
    r"\b(do|does|did|is|are|was) ?(not|n't|n’t) (explicitly |directly )?"
    r"(say|state|mention|specif|contain|provide|give|include|indicate|disclose|list|available|answer)\w*\b[^\n;]*"
    r"|[^\n.;]{0,100}\b(is|are|was|were) (not|never) (explicitly |directly )?"
    r"(stated|mentioned|specified|provided|given|included|indicated|disclosed|available|listed|answered)\b[^\n;]*"
    r"|(das|dieses|die|diese) (dokumente?n?|texte?|berichte?)\b[^\n;]*\b(nicht|nichts|keine?)\b[^\n;]*"
    r"|(le|les|ce|ces) (documents?|textes?|rapports?)\b[^\n;]*\b(ne|n'|n’)\b[^\n;]*\bpas\b[^\n;]*"
    r"|(el|los|este|estos) (documentos?|textos?|informes?)\b[^\n;]*\bno\b[^\n;]*",
    re.IGNORECASE,
)
_BEGINNINGS = tuple(
    f"{the} {what}"
    for articles, nouns in (
        (("the", "this", "these"), ("document", "passage", "text", "report", "file")),
        (("das", "dieses", "die", "diese"), ("dokument", "text", "bericht")),
        (("le", "les", "ce", "ces"), ("document", "texte", "rapport")),
        (("el", "los", "este", "estos"), ("documento", "texto", "informe")),
    )
    for the in articles
    for what in nouns
)


def is_silence(answer: str) -> bool:
    """Tell whether an answer says no more than that the documents do not say, in the asked words or near them."""
    bare = answer.strip()
    return len(bare) <= LONGEST and _SILENCE.fullmatch(bare) is not None


def may_be_silence(beginning: str) -> bool:
    """Tell whether what has come of an answer so far may still become such a sentence."""
    bare = beginning.strip().casefold()
    if len(bare) > LONGEST:
        return False
    return any(start.startswith(bare[: len(start)]) for start in _BEGINNINGS)
