"""Knowing an answer that only says that the documents do not say, also while it is still coming."""

from __future__ import annotations

import re

LONGEST = 90
"""Characters. A longer answer that begins like this goes on to say something."""

_SILENCE = re.compile(
    r"(the|this) (document|documents|passage|passages|text|report) "
    r"(do|does|did) ?(not|n't|n’t) (say|state|mention|specify|contain|provide|give|include)\b[^\n]*",
    re.IGNORECASE,
)
_BEGINNINGS = tuple(f"{the} {what}" for the in ("the", "this") for what in ("document", "passage", "text", "report"))


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
