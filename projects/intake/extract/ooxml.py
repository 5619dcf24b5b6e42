"""Names what an office file holds besides its text: pictures, charts, embedded files, comments, macros."""

from __future__ import annotations

import re
from collections.abc import Iterable

_KINDS = (
    (re.compile(r"(?:word|ppt|xl)/media/.+|Pictures/.+"), "picture"),
    (re.compile(r"(?:word|ppt|xl)/charts/chartEx\d*\.xml"), "chart"),
    (re.compile(r"(?:word|ppt|xl)/embeddings/.+"), "embedded file"),
)
_COMMENTS = re.compile(r"word/comments\.xml|ppt/comments/.+\.xml|xl/(?:comments.*|threadedComments/.+)\.xml")
_MACROS = re.compile(r"(?:word|ppt|xl)/vbaProject\.bin|Basic/.+")


def left_out(parts: Iterable[str], *more: str) -> tuple[str, ...]:
    """Return in sentences what is in these parts of an office file and is not read; `more` are sentences to add."""
    names = list(parts)
    counts = ((sum(1 for name in names if pattern.fullmatch(name)), noun) for pattern, noun in _KINDS)
    sentences = [counted(count, noun, "left out") for count, noun in counts if count]
    if any(map(_COMMENTS.fullmatch, names)):
        sentences.append("Comments were left out.")
    if any(map(_MACROS.fullmatch, names)):
        sentences.append("Macros were left out.")
    return (*sentences, *more)


def counted(count: int, noun: str, what: str) -> str:
    """Return '1 picture was left out.' or '2 pictures were left out.'."""
    return f"1 {noun} was {what}." if count == 1 else f"{count:,} {noun}s were {what}."
