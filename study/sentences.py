"""Cuts text that a model has written into sentences, and makes plain prose of it."""

from __future__ import annotations

import re

_END = re.compile(r"(?<=[.!?…。！？])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[¿¡]?[A-ZÀ-ÞŁŚŻА-ЯΑ-Ω0-9])|(?<=[。！？])")
_ABBREVIATIONS = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|No|Nos|Nr|Art|Abs|Inc|Ltd|Co|Corp|vs|approx|ca|bzw|z\.B|d\.h|e\.g|i\.e|Jr|Sr|Hr|Fr|Sra?"
    r"|pp?|S|Bd|Ziff|al|etc)|\b[A-Z]|\b\d{1,2})\.$"
)
_MARK = re.compile(r"\s*\[\d+(?:\s*[,–-]\s*\d+)*\](?:\s*\(page \d+\))?")
_PREAMBLE = re.compile(
    r"^(?:sure|certainly|of course)?[,!.:]?\s*(?:here(?: is|'s)|the following is|below is|hier ist|voici|aquí)"
    r"[^:\n]{0,80}:\s*|^(?:summary|zusammenfassung|résumé|resumen)\s*:\s*",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^\s*(?:[-*•–]|\d+[.)])\s+", re.MULTILINE)
_EMPHASIS = re.compile(r"\*\*|__|^#+\s*", re.MULTILINE)


def sentences(text: str) -> list[str]:
    """Return the sentences of a text without the white space between them; together they have all its words."""
    found: list[str] = []
    start = 0
    for match in _END.finditer(text):
        head = text[start : match.start()]
        if _ABBREVIATIONS.search(head):
            continue
        found.append(text[start : match.end()].strip())
        start = match.end()
    return [sentence for sentence in [*found, text[start:].strip()] if sentence]


def without_marks(text: str) -> str:
    """Return a text without the marks by which it cites."""
    return _MARK.sub("", text)


def prose(text: str, *, cut_off: bool = False) -> str:
    """Return what a model wrote as one paragraph without marks, lists, emphasis and a preamble.

    `cut_off`: its last sentence is not whole, and is left out unless it is the only one.
    """
    plain = _PREAMBLE.sub("", _BULLET.sub("", _EMPHASIS.sub("", text.strip())))
    plain = " ".join(without_marks(plain).split())
    if not cut_off:
        return plain
    whole = sentences(plain)
    return " ".join(whole[:-1] or whole)


def first_sentence(text: str, most: int) -> str:
    """Return the first sentence of a text in at most `most` characters, cut at a word."""
    first = next(iter(sentences(text)), "")
    if len(first) <= most:
        return first
    return first[: most - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
