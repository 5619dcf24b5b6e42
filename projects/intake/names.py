"""Names of uploaded files, made safe to store and to show; they never become part of a path."""

from __future__ import annotations

import unicodedata

MAX_NAME = 255
JOINERS = "\u200c\u200d"
"""Format characters that are part of the spelling in several scripts."""


def clean_name(name: str) -> str:
    """Return the base name in NFC without control characters, at most 255 characters; empty if nothing is left.

    Folders are cut off in both spellings, since a browser on another system may send either. A name that is too long
    keeps its ending. Format characters go too: a right-to-left override can make 'exe.pdf' of 'fdp.exe'.
    """
    base = name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]
    visible = "".join(c for c in base if c in JOINERS or unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Zl", "Zp"})
    cleaned = unicodedata.normalize("NFC", visible).strip()
    if cleaned.strip(". ") == "":
        return ""
    if len(cleaned) <= MAX_NAME:
        return cleaned
    stem, dot, ending = cleaned.rpartition(".")
    if not dot or len(ending) > 16:
        return cleaned[:MAX_NAME]
    return stem[: MAX_NAME - len(ending) - 1] + dot + ending
